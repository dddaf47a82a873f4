// A session: the tree of its agents, their timeline, what is chosen, and the conversation.

import { Tree } from './agents.js';
import { Chat } from './chat.js';
import { Detail } from './detail.js';
import { fill, h, perFrame } from './dom.js';
import { Model, chosen } from './fold.js';
import { brief } from './format.js';
import { Timeline } from './timeline.js';

const PAGE = 1000;
const POLL = 1500;

export class Session {
  constructor(main, { rpc, approvals, id, trouble }) {
    Object.assign(this, { rpc, approvals, id, trouble });
    this.model = new Model();
    this.chosen = null;
    this.queue = [];
    this.texts = new Map();
    const pane = (name, label) => h('section', { class: `pane ${name}`, 'aria-label': label });
    const panes = { tree: pane('agents', 'Agents'), timeline: pane('timeline', 'Timeline'), detail: pane('detail', 'Details'), chat: pane('chat', 'Conversation') };
    fill(main, h('div', { class: 'session' }, Object.values(panes)));
    const acts = { choose: (item) => this.choose(item), chosen: () => this.chosen, messages: (of) => this.messages(of), openAgent: (of) => this.choose({ kind: 'agent', agent: of }) };
    this.tree = new Tree(panes.tree, this.model, acts);
    this.timeline = new Timeline(panes.timeline, this.model, acts);
    this.detail = new Detail(panes.detail, this.model, acts);
    this.chat = new Chat(panes.chat, { rpc, model: this.model, say: (text, mode) => this.say(text, mode), interrupt: () => this.interrupt() });
    this.redraw = perFrame(() => this.draw());
    rpc.on('notification', (message) => this.hear(message));
    rpc.on('open', () => this.catchUp());
    approvals.changed = () => this.redraw();
    if (rpc.open) this.catchUp();
    setInterval(() => this.model.busy && this.redraw(), 1000);
    setInterval(() => this.poll(), POLL);
    document.addEventListener('themechange', () => this.timeline.theme());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.timeline.theme());
  }

  get root() { return this.model.root?.id; }

  hear({ method, params }) {
    if (method === 'thread/event' && (!this.root || params.sessionId === this.root)) {
      this.queue.push(params.event);
      this.redraw();
    } else if (method === 'client/fellBehind' && params.sessionId === this.root) {
      this.catchUp();
    } else if (method === 'thread/status/changed') {
      const agent = this.model.agents.get(params.threadId);
      if (agent && ['shutdown', 'interrupted', 'pendingInit'].includes(params.status)) { agent.status = params.status; this.redraw(); }
    } else if (method === 'thread/note/updated') {
      const agent = this.model.agents.get(params.threadId);
      if (agent) { agent.note = chosen(params.threadNote); this.redraw(); }
    }
  }

  /** Reads everything that has happened and is not known yet. */
  async catchUp() {
    if (this.reading) { this.again = true; return; }
    this.reading = true;
    try {
      for (;;) {
        const read = await this.rpc.call('thread/read', { threadId: this.root || this.id, fromSeq: this.model.nextSeq, limit: PAGE });
        // An agent below the main one has no events of its own: its session has.
        if (!this.root && read.thread.sessionId !== read.thread.id) {
          this.first = read.thread.id;
          this.id = read.thread.sessionId;
          continue;
        }
        this.learn(read);
        if (!read.hasMore) break;
      }
    } catch (error) {
      if (this.rpc.open) this.trouble(`This session cannot be shown: ${error.message}`);
    } finally {
      this.reading = false;
      if (this.again && this.rpc.open) { this.again = false; this.catchUp(); }
    }
  }

  learn(read) {
    this.live = read.thread.isLive;
    this.model.threads([read.thread, ...read.descendants]);
    for (const event of read.events) this.take(event, true);
    this.model.nextSeq = Math.max(this.model.nextSeq, read.nextSeq);
    if (!read.hasMore) this.model.settle([read.thread, ...read.descendants]);
    this.approvals.sync(new Set(this.model.agents.keys()), read.approvals);
    if (!this.chosen && this.model.root) this.choose({ kind: 'agent', agent: this.first || this.root });
    this.chat.refresh();
    this.redraw();
  }

  /** Whether an event came in its turn. */
  take(event, force) {
    const before = this.model.nextSeq;
    const fine = force ? (this.model.force(event), true) : this.model.take(event);
    if (fine && event.seq >= before && event.agent_id === this.root) this.chat.take(event);
    return fine;
  }

  draw() {
    if (!this.reading) {
      const queue = this.queue;
      this.queue = [];
      if (!queue.every((event) => this.take(event)) || this.model.strangers) this.catchUp();
    }
    const now = this.timeline.now();
    this.tree.draw(now);
    this.timeline.draw();
    this.detail.draw(this.chosen, now);
    this.chat.stream();
    const root = this.model.root;
    if (root) document.title = `${root.shown === 'waiting' ? '◆ ' : ''}${root.note || brief(root.thread?.preview, 40) || root.title} · agentctl`;
  }

  /** Sessions of other processes tell nobody: look. */
  poll() {
    if (this.rpc.open && this.root && !this.live && this.model.busy && !document.hidden) this.catchUp();
  }

  choose(item) {
    this.chosen = item;
    this.redraw();
  }

  /** What was said in a thread. */
  async messages(id) {
    const { data } = await this.rpc.call('thread/messages', { threadId: id, from: 0, limit: 1 });
    return data;
  }

  async say(text, mode) {
    if (!this.live) {
      const { thread } = await this.rpc.call('thread/resume', { threadId: this.root });
      this.live = thread.isLive;
    }
    await this.rpc.call('turn/start', { threadId: this.root, input: [{ type: 'text', text }], collaborationMode: mode });
  }

  async interrupt() {
    await this.rpc.call('turn/interrupt', { threadId: this.root }).catch((error) => this.trouble(error.message));
  }
}
