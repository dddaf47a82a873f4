// What happened, folded into agents with lanes. Takes each event once, in order, and never looks back
// over the others.

import { after, status } from './format.js';

const COLLAB = /^COLLAB_(AGENT_SPAWN|AGENT_INTERACTION|WAITING|CLOSE|RESUME)_(BEGIN|END)$/;
const VERB = {
  AGENT_SPAWN: 'spawn_agent', AGENT_INTERACTION: 'send_input', WAITING: 'wait',
  CLOSE: 'close_agent', RESUME: 'resume_agent',
};
/** Tools that wait for other agents. */
const WAITING = new Set(['wait', 'TaskOutput', 'Task', 'collaboration.wait']);

/** While nobody works for longer than this, time is cut down to `PAUSE`. */
const IDLE = 10_000;
const PAUSE = 1500;

class Agent {
  constructor(id, type) {
    Object.assign(this, {
      id, type, ordinal: 1, index: Infinity, name: null, parent: null, depth: 0, status: 'pendingInit',
      note: null, thread: null, turns: 0, maxTurns: 0, spent: 0, spending: 0, juice: null,
      runs: [], turnList: [], calls: [], graces: [], marks: [], asks: [], children: [],
      open: new Map(), rows: [], spawned: false, asking: 0, lane: 0,
    });
  }

  /** Its name among the others. */
  get title() {
    return this.name ? `${this.type} ${this.name}` : `${this.type}#${this.ordinal}`;
  }

  get tokens() { return this.spent + this.spending; }

  get shown() { return this.asking > 0 && this.status === 'running' ? 'waiting' : this.status; }

  get run() { return this.runs[this.runs.length - 1]; }

  get turn() { return this.turnList[this.turnList.length - 1]; }

  /** How long it has worked. */
  elapsed(now) {
    return this.runs.reduce((sum, run) => sum + ((run.t1 ?? now) - run.t0), 0);
  }
}

/** A label somebody chose; those that only repeat what an agent is are left out. */
export const chosen = (note) => (note?.startsWith('agent_type=') ? null : note);

export class Model {
  constructor() {
    this.agents = new Map();
    this.lanes = [];
    this.arrows = [];
    this.nextSeq = 0;
    this.count = 0;
    this.t0 = null;
    this.t1 = null;
    this.strangers = false;
    this.root = null;
    this.cut = 0;
    this.cuts = [];
  }

  /** The time on the axis of an event; pauses in which nobody worked are cut. */
  time(real) {
    const t = real - this.cut;
    if (this.t1 === null || t - this.t1 <= IDLE || this.busy) return t;
    const by = t - this.t1 - PAUSE;
    this.cut += by;
    this.cuts.push({ from: this.t1, t: t - by, by });
    return t - by;
  }

  /** The time of day of a time on the axis. */
  real(t) {
    return this.cuts.reduce((sum, cut) => (cut.t <= t ? sum + cut.by : sum), t);
  }

  /** The agent, made if it is new. */
  agent(id, type) {
    let agent = this.agents.get(id);
    if (!agent) {
      agent = new Agent(id, type || 'agent');
      this.agents.set(id, agent);
      this.strangers = true;
      this.arrange();
    }
    if (type) agent.type = type;
    return agent;
  }

  /** Takes in what the server knows about threads. */
  threads(list) {
    for (const thread of list) {
      const agent = this.agent(thread.id, thread.agentType);
      Object.assign(agent, {
        thread, ordinal: thread.ordinal, index: thread.agentIndex, name: thread.agentName,
        note: chosen(thread.note), juice: thread.maxJuice, depth: thread.depth,
      });
      // What follows from events comes later.
      if (!agent.runs.length) agent.status = thread.status;
      if (thread.parentThreadId) this.adopt(agent, thread.parentThreadId);
      else this.root = agent;
    }
    this.strangers = false;
    this.arrange();
  }

  /** Takes in how threads stand once all of their events are known: some ends leave none. */
  settle(list) {
    for (const { id, status: now, isLive } of list) {
      const agent = this.agents.get(id);
      const over = !['running', 'pendingInit'].includes(now);
      if (agent && (['shutdown', 'interrupted'].includes(now) || (over && !isLive))) agent.status = now;
    }
  }

  adopt(agent, parent) {
    if (agent.parent === parent) return;
    agent.parent = parent;
    const above = this.agents.get(parent);
    if (above) { above.children.push(agent.id); agent.depth = above.depth + 1; }
    if (agent.runs.length) this.born(agent, agent.runs[0].t0);
    this.arrange();
  }

  /** Gives every agent its lane: each after the one that started it. */
  arrange() {
    const below = new Map();
    for (const agent of this.agents.values()) {
      const key = this.agents.has(agent.parent) ? agent.parent : null;
      if (!below.has(key)) below.set(key, []);
      below.get(key).push(agent);
    }
    for (const list of below.values()) list.sort((a, b) => a.index - b.index || 0);
    const lanes = [];
    const walk = (key) => {
      for (const agent of below.get(key) || []) {
        agent.lane = lanes.length;
        lanes.push(agent);
        walk(agent.id);
      }
    };
    walk(null);
    this.lanes = lanes;
  }

  /** An arrow to an agent that was started. */
  born(agent, at) {
    if (agent.spawned || !agent.parent) return;
    agent.spawned = true;
    this.arrows.push({ kind: 'spawn', from: agent.parent, to: agent.id, t: at });
  }

  /** Takes an event; false if others are missing before it. */
  take(event) {
    if (event.seq < this.nextSeq) return true;
    if (event.seq > this.nextSeq) return false;
    this.force(event);
    return true;
  }

  /** Takes an event although numbers before it may be missing. */
  force(event) {
    if (event.seq < this.nextSeq) return;
    this.nextSeq = event.seq + 1;
    this.count += 1;
    const t = this.time(Date.parse(event.at));
    this.t0 ??= t;
    this.t1 = Math.max(this.t1 ?? t, t);
    const agent = this.agent(event.agent_id, event.agent_type);
    const data = event.data || {};
    const collab = COLLAB.exec(event.event_type);
    if (collab) this.collab(agent, VERB[collab[1]], collab[2], data, t);
    else HANDLERS[event.event_type]?.call(this, agent, data, t);
  }

  collab(agent, verb, part, data, t) {
    const call = agent.open.get(data.call_id) || this.begin(agent, { tool_name: verb, call_id: data.call_id }, t);
    call.collab = {
      verb, sender: agent.id, receivers: data.receiver_thread_ids || [], prompt: data.prompt ?? null,
      model: data.model ?? null, effort: data.reasoning_effort ?? null,
      states: data.agents_states || call.collab?.states || {}, error: data.error ?? null,
      status: part === 'BEGIN' ? 'inProgress' : data.success ? 'completed' : 'failed',
    };
    if (verb === 'wait') call.waits = true;
    if (part === 'END') this.acted(agent, verb, call, t);
  }

  acted(agent, verb, call, t) {
    const { receivers, status: came, states } = call.collab;
    for (const id of receivers) {
      if (verb === 'spawn_agent' && came === 'completed') {
        const child = this.agent(id);
        this.adopt(child, agent.id);
        this.born(child, t);
      } else if (verb === 'send_input' && came === 'completed') {
        this.arrows.push({ kind: 'send', from: agent.id, to: id, t, call });
      }
      const known = this.agents.get(id);
      if (known && states[id] && verb !== 'wait') known.status = status(states[id].status);
    }
    // What people see of it ends with the call; some have none around them.
    if (call.bare) this.end(agent, call, t, came === 'completed');
  }

  begin(agent, data, t) {
    const turn = agent.turn;
    const call = {
      kind: 'call', agent: agent.id, tool: data.tool_name, id: data.call_id, t0: t, t1: null, ok: null,
      args: data.arguments, output: null, waits: WAITING.has(data.tool_name), collab: null, turn,
      row: 0, bare: data.arguments === undefined,
    };
    while (agent.rows[call.row] && call.row < 7) call.row += 1;
    agent.rows[call.row] = call;
    agent.calls.push(call);
    agent.open.set(call.id, call);
    if (turn) turn.calls += 1;
    return call;
  }

  end(agent, call, t, ok) {
    call.t1 = t;
    call.ok = ok;
    agent.open.delete(call.id);
    if (agent.rows[call.row] === call) agent.rows[call.row] = null;
  }

  mark(agent, kind, t, more) {
    const mark = { kind, agent: agent.id, t0: t, t1: t, ...more };
    agent.marks.push(mark);
    return mark;
  }

  /** Every agent that still does something. */
  get busy() {
    return this.lanes.some((agent) => agent.status === 'running');
  }
}

const HANDLERS = {
  STARTED(agent, data, t) {
    agent.status = 'running';
    agent.spending = 0;
    agent.maxTurns = data.progress?.max_turns ?? 0;
    agent.runs.push({ kind: 'run', agent: agent.id, t0: t, t1: null, begun: data, outcome: null });
    this.born(agent, t);
  },
  USER_MESSAGE(agent, data, t) { this.mark(agent, 'told', t, { data }); },
  TURN_START(agent, data, t) {
    const number = agent.turnList.length + 1;
    agent.turnList.push({ kind: 'turn', agent: agent.id, n: number, t0: t, t1: null, text: '', thought: '', calls: 0, usage: null });
  },
  TURN_COMPLETE(agent, data, t) {
    agent.turns += 1;
    agent.spending = data.progress?.total_tokens ?? agent.spending;
    if (agent.turn) { agent.turn.t1 = t; agent.turn.usage = data.usage; }
  },
  TOOL_CALL_START(agent, data, t) {
    const open = agent.open.get(data.call_id);
    if (open) Object.assign(open, { tool: data.tool_name, args: data.arguments, bare: false });
    else this.begin(agent, data, t);
  },
  TOOL_CALL_END(agent, data, t) {
    const call = agent.open.get(data.call_id) || this.begin(agent, data, t - (data.duration_ms || 0));
    call.output = data.output;
    this.end(agent, call, t, data.success);
  },
  THOUGHT_CHUNK(agent, data) { if (agent.turn) agent.turn.thought += data.text; },
  TEXT_CHUNK(agent, data) { if (agent.turn) agent.turn.text += data.text; },
  GRACE_PERIOD_START(agent, data, t) {
    agent.graces.push({ kind: 'grace', agent: agent.id, t0: t, t1: null, reason: data.reason, seconds: data.grace_seconds, ok: null });
  },
  GRACE_PERIOD_END(agent, data, t) {
    const grace = agent.graces[agent.graces.length - 1];
    if (grace) { grace.t1 = t; grace.ok = data.success; }
  },
  RETRY(agent, data, t) {
    if (agent.turn) { agent.turn.text = ''; agent.turn.thought = ''; }
    this.mark(agent, 'retry', t, { t1: t + (data.delay_ms || 0), data });
  },
  APPROVAL_REQUEST(agent, data, t) {
    agent.asking += 1;
    agent.asks.push({ kind: 'ask', agent: agent.id, id: data.call_id, tool: data.tool_name, detail: data.detail, path: data.path || [], t0: t, t1: null, decision: null });
  },
  APPROVAL_DECISION(agent, data, t) {
    const ask = agent.asks.findLast((one) => one.id === data.call_id && one.t1 === null);
    if (ask) { ask.t1 = t; ask.decision = data.decision; agent.asking -= 1; }
  },
  ERROR(agent, data, t) { this.mark(agent, 'error', t, { data }); },
  BACKGROUND_EVENT(agent, data, t) {
    const child = this.agents.get(data.thread_id);
    if (!child) return;
    this.adopt(child, agent.id);
    if (data.status === 'shutdown') child.status = 'shutdown';
  },
  THREAD_NOTE_UPDATED(agent, data) { this.agent(data.thread_id).note = chosen(data.thread_note); },
  COMPLETED(agent, data, t) {
    agent.status = after(data.status);
    agent.spent += data.total_tokens || 0;
    agent.spending = 0;
    agent.asking = 0;
    const run = agent.run;
    if (run && run.t1 === null) Object.assign(run, { t1: t, outcome: data });
    else agent.runs.push({ kind: 'run', agent: agent.id, t0: t, t1: t, begun: null, outcome: data });
    if (agent.turn) agent.turn.t1 ??= t;
    for (const call of [...agent.open.values()]) this.end(agent, call, t, false);
    for (const one of [...agent.asks, ...agent.graces]) one.t1 ??= t;
    if (agent.parent && data.status !== 'aborted') {
      this.arrows.push({ kind: 'result', from: agent.id, to: agent.parent, t });
    }
  },
};
