// Everything about what is chosen.

import { fill, h } from './dom.js';
import { STATUS, clock, count, duration, plural, pretty, status } from './format.js';

/** The longest text that is shown at once. */
const MOST = 20_000;

export class Detail {
  constructor(host, model, { choose, messages }) {
    Object.assign(this, { host, model, choose, messages });
    this.body = h('div', { class: 'body', id: 'detail', tabindex: '-1', role: 'region', 'aria-label': 'Details', 'aria-live': 'off' });
    this.title = h('h2', {}, 'Details');
    host.append(h('div', { class: 'bar' }, this.title), this.body);
    this.key = '';
    this.draw(null);
  }

  /** Shows `item` if it is another, or has changed. */
  draw(item, now) {
    const agent = item && this.model.agents.get(item.agent);
    const key = item ? [item.kind, item.agent, item.t0, item.t1, item.id, agent?.shown, agent?.note, item.text?.length,
      item.thought?.length, item.collab?.status, item.decision, agent?.runs.length, agent?.children.length, agent?.run?.t1].join('|') : '';
    if (key === this.key && this.body.children.length) return;
    this.key = key;
    this.title.textContent = item ? { agent: 'Agent', run: 'Run', turn: 'Turn', call: 'Call', ask: 'Question', grace: 'Grace period', retry: 'Tries again', error: 'Error', told: 'Message' }[item.kind] : 'Details';
    if (!item || !agent) {
      fill(this.body, h('p', { class: 'dim' }, 'Choose an agent, or something in its lane.'));
      return;
    }
    fill(this.body, h('p', { class: 'path' }, this.link(agent.id)), this[item.kind](item, agent, now));
  }

  /** A button that goes to an agent. */
  link(id) {
    const agent = this.model.agents.get(id);
    const shown = agent ? agent.shown : 'notFound';
    return h('button', { type: 'button', class: 'agent-link', 'data-status': shown, 'data-agent': id, onclick: () => agent && this.choose({ kind: 'agent', agent: id }) },
      h('span', { class: 'sign' }, STATUS[shown].sign), agent ? agent.title : id, h('span', { class: 'dim' }, ` ${STATUS[shown].text}`));
  }

  agent(item, agent, now) {
    const { thread } = agent;
    const run = agent.run;
    const begun = run?.begun;
    const parts = [
      facts([
        ['status', STATUS[agent.shown].text], ['note', agent.note], ['model', run?.outcome?.model || begun?.model || thread?.model],
        ['effort', thread?.reasoningEffort], ['sandbox', thread?.sandbox], ['works in', begun?.cwd || thread?.cwd],
        ['turns', agent.turnList.length], ['calls', agent.calls.length], ['tokens', count(agent.tokens)],
        ['juice', agent.juice ? `${count(agent.tokens)} of ${count(agent.juice)}` : null], ['worked', duration(agent.elapsed(now))], ['id', agent.id],
      ]),
    ];
    if (run?.outcome?.error) parts.push(section('Error', run.outcome.error.message, 'bad'));
    const task = h('div');
    parts.push(task);
    this.task(task, agent);
    if (run?.outcome?.result) parts.push(section('Result', run.outcome.result));
    if (agent.children.length) parts.push(h('h3', {}, 'Agents it started'), h('ul', { class: 'links' }, agent.children.map((id) => h('li', {}, this.link(id)))));
    if (begun?.tools?.length) parts.push(h('h3', {}, 'Tools'), h('p', { class: 'tags' }, begun.tools.map((tool) => h('span', { class: 'tag' }, tool))));
    return parts;
  }

  /** What the agent was told first, in full. */
  async task(place, agent) {
    const known = agent.runs[0]?.begun?.description || agent.thread?.preview;
    if (known) fill(place, section('Task', known));
    const messages = await this.messages(agent.id).catch(() => []);
    const first = messages.find((message) => message.role === 'user');
    if (first) fill(place, section('Task', first.text));
  }

  run(run) {
    const { begun, outcome } = run;
    return [
      facts([
        ['from', clock(this.model.real(run.t0))], ['took', run.t1 === null ? 'goes on' : duration(run.t1 - run.t0)], ['model', outcome?.model || begun?.model],
        ['language model', begun ? (begun.llm ? null : 'no') : null], ['ended', outcome?.status], ['turns', outcome?.turns_used], ['calls', outcome?.total_tool_use_count], ['tokens', count(outcome?.total_tokens)],
      ]),
      outcome?.error && section(`Error: ${outcome.error.kind}`, outcome.error.message, 'bad'),
      begun && section('Task', begun.description),
      outcome?.result && section('Result', outcome.output ? pretty(outcome.output) : outcome.result),
    ];
  }

  turn(turn, agent) {
    const usage = turn.usage || {};
    const calls = agent.calls.filter((call) => call.turn === turn);
    return [
      facts([['turn', turn.n], ['from', clock(this.model.real(turn.t0))], ['took', turn.t1 === null ? 'goes on' : duration(turn.t1 - turn.t0)],
        ['tokens in', count(usage.input_tokens)], ['tokens out', count(usage.output_tokens)], ['calls', turn.calls]]),
      turn.thought && section('Thinking', turn.thought, 'thought'),
      turn.text && section('Said', turn.text),
      calls.length > 0 && [h('h3', {}, plural(calls.length, 'call')), h('ul', { class: 'links' }, calls.map((call) => h('li', {},
        h('button', { type: 'button', class: 'agent-link', onclick: () => this.choose(call) }, call.ok === false ? '✕ ' : '', call.tool, h('span', { class: 'dim' }, ` ${call.t1 === null ? 'goes on' : duration(call.t1 - call.t0)}`)))))],
    ];
  }

  call(call) {
    return [
      facts([['tool', call.tool], ['from', clock(this.model.real(call.t0))], ['took', call.t1 === null ? 'goes on' : duration(call.t1 - call.t0)],
        ['came to', call.ok === null ? 'goes on' : call.ok ? '✓ worked' : '✕ failed'], ['call', call.id]]),
      call.collab && this.collab(call.collab),
      call.args !== undefined && section('Arguments', pretty(call.args), 'code'),
      call.output !== null && section('Result', pretty(call.output), call.ok ? 'code' : 'code bad'),
    ];
  }

  collab({ verb, sender, receivers, prompt, model, effort, states, error, status: came }) {
    const state = (id) => {
      const known = states[id];
      const live = this.model.agents.get(id);
      return h('li', {}, this.link(id), known && h('p', { class: 'dim' }, `when the call ended: ${STATUS[status(known.status)].text}`, known.message ? ` — ${known.message}` : ''),
        live?.note && h('p', {}, live.note));
    };
    const ids = [...new Set([...receivers, ...Object.keys(states)])];
    return h('div', { class: 'collab' },
      facts([['does', verb], ['stands', { inProgress: 'in progress', completed: '✓ completed', failed: '✕ failed' }[came]], ['model', model], ['effort', effort]]),
      h('h3', {}, 'Sender'), h('p', {}, this.link(sender)),
      h('h3', {}, plural(ids.length, 'receiver')), ids.length ? h('ul', { class: 'links' }, ids.map(state)) : h('p', { class: 'dim' }, 'nobody yet'),
      prompt && section('Prompt', prompt), error && section('Error', error, 'bad'));
  }

  ask(ask) {
    return [facts([['tool', ask.tool], ['who', ask.path.join(' › ')], ['asked', clock(this.model.real(ask.t0))], ['answer', ask.decision || 'nobody has answered yet']]), section('Exactly this', ask.detail, 'code')];
  }

  grace(grace) {
    return facts([['because of', grace.reason], ['seconds', grace.seconds], ['took', grace.t1 === null ? 'goes on' : duration(grace.t1 - grace.t0)], ['handed in', grace.ok === null ? null : grace.ok ? 'yes' : 'no']]);
  }

  retry({ data }) {
    return [facts([['model', data.model], ['attempt', data.attempt], ['waits', duration(data.delay_ms)], ['next model', data.next]]), section(`Error: ${data.error?.kind}`, data.error?.message, 'bad')];
  }

  told({ data }) { return section(data.later ? 'You said, for after its work' : 'You said', data.text); }

  error({ data }) { return section(`Error: ${data.error?.kind}`, data.error?.message, 'bad'); }
}

function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return h('dl', { class: 'facts' }, known.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

/** A text under a heading; of a long one the beginning, until it is asked for. */
function section(title, text, kind) {
  const whole = String(text ?? '');
  const block = h('pre', { class: `text ${kind || ''}`, tabindex: '0' }, whole.slice(0, MOST));
  const more = whole.length > MOST && h('button', { type: 'button', onclick: (event) => { block.textContent = whole; event.target.remove(); } }, `Show all ${count(whole.length)} characters`);
  return h('section', {}, h('h3', {}, title), block, more);
}
