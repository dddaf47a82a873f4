// The conversation with the main agent: what is written down, and what it is saying now.

import { fill, h, perFrame, soon } from './dom.js';
import { brief, pretty } from './format.js';
import { modePicker } from './modes.js';

/** How many messages are added at once. */
const SOME = 40;
/** Texts longer than this are folded. */
const LONG = 1200;

export class Chat {
  constructor(host, { rpc, model, say, interrupt }) {
    Object.assign(this, { host, rpc, model, sayIt: say });
    this.shown = 0;
    this.asked = 0;
    this.log = h('div', { class: 'log', role: 'log', 'aria-label': 'Conversation with the main agent', tabindex: '0' });
    this.live = h('div', { class: 'said now', hidden: true });
    this.box = h('textarea', { id: 'say', rows: 2, placeholder: 'Tell the main agent something. Ctrl+Enter sends.', 'aria-label': 'Message' });
    this.wrong = h('p', { class: 'bad-text', role: 'alert', hidden: true });
    this.stop = h('button', { type: 'button', class: 'danger', id: 'interrupt', onclick: interrupt }, 'Interrupt');
    this.modes = h('span', { class: 'row' });
    this.form = h('form', { class: 'say' }, this.box, h('div', { class: 'row' }, this.modes, h('span', { class: 'grow' }), this.stop, h('button', { type: 'submit', class: 'main' }, 'Send')), this.wrong);
    host.append(h('div', { class: 'bar' }, h('h2', {}, 'Conversation')), h('div', { class: 'log-host' }, this.log), this.form);
    this.log.append(this.live);
    this.form.addEventListener('submit', (event) => { event.preventDefault(); this.send(); });
    this.box.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.send(); }
    });
    this.refresh = soon(() => this.read(), 60);
    this.draw = perFrame(() => this.stream());
    modePicker(rpc, { first: 'as before' }).then((picker) => { this.picker = picker; fill(this.modes, picker.elements); }).catch(() => {});
  }

  async send() {
    const text = this.box.value.trim();
    if (!text) return;
    this.wrong.hidden = true;
    try {
      await this.sayIt(text, this.picker?.value());
      this.box.value = '';
    } catch (error) {
      this.wrong.textContent = error.message;
      this.wrong.hidden = false;
    }
  }

  /** Takes in that something happened to the main agent. */
  take(event) {
    if (event.event_type === 'TEXT_CHUNK' || event.event_type === 'THOUGHT_CHUNK') this.draw();
    else this.refresh();
  }

  /** Reads what is written down by now. */
  async read() {
    const root = this.model.root;
    if (!root || this.reading) { this.again = Boolean(root); return; }
    this.reading = true;
    try {
      const turn = root.turn;
      const done = turn && (turn.t1 !== null || turn.calls > 0);
      const { data } = await this.rpc.call('thread/messages', { threadId: root.id, from: this.shown, limit: SOME });
      const bottom = this.atBottom();
      for (const message of data) this.live.before(...said(message));
      this.shown += data.length;
      if (data.length === SOME) this.again = true;
      // What was said in a turn is in the messages once its calls begin.
      if (done && data.some((message) => message.role === 'assistant')) this.written = turn;
      this.stream();
      if (bottom) this.scroll();
    } catch {
      // The next event, or the connection when it is back, leads here again.
    } finally {
      this.reading = false;
      if (this.again) { this.again = false; this.refresh(); }
    }
  }

  stream() {
    const root = this.model.root;
    const turn = root?.turn;
    const busy = root?.status === 'running';
    this.stop.disabled = !this.model.busy;
    const speaking = turn && turn !== this.written && (turn.text || turn.thought) && busy;
    const bottom = this.atBottom();
    this.live.hidden = !busy;
    if (!busy) return;
    fill(this.live, speaking && turn.thought && h('p', { class: 'thought' }, turn.thought), speaking && turn.text && h('p', {}, turn.text),
      h('p', { class: 'dim working' }, root.asking ? 'waits for an answer to its question' : 'is working…'));
    if (bottom) this.scroll();
  }

  atBottom() { return this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 40; }

  scroll() { this.log.scrollTop = this.log.scrollHeight; }
}

function said(message) {
  if (message.role === 'user') return [block('you', 'You', long(message.text))];
  if (message.role === 'results') {
    return message.results.filter((result) => result.is_error).map((result) => block('failed', `✕ ${result.name}`, long(result.content)));
  }
  return (message.parts || []).map((part) => {
    if (part.type === 'text') return block('agent', 'Agent', long(part.text));
    if (part.type === 'thinking') return part.text && folded('thought', 'Thinking', part.text);
    if (part.type === 'call') {
      if (part.name === 'complete_task') return block('agent', 'Result', long(result(part.arguments)));
      return folded('call', `→ ${part.name} ${brief(part.arguments, 90)}`, pretty(part.arguments));
    }
    return null;
  }).filter(Boolean);
}

function result(text) {
  try {
    const value = JSON.parse(text);
    return typeof value.result === 'string' ? value.result : JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}

const block = (kind, who, body) => h('div', { class: `said ${kind}` }, h('span', { class: 'by' }, who), body);

const folded = (kind, title, text) => h('details', { class: `said ${kind}` }, h('summary', {}, title), h('pre', { class: 'text' }, text));

function long(text) {
  if (text.length <= LONG) return h('p', {}, text);
  const start = h('p', {}, `${text.slice(0, LONG)}…`);
  const more = h('button', { type: 'button', class: 'quiet', onclick: () => { start.textContent = text; more.remove(); } }, 'Show everything');
  return h('div', {}, start, more);
}
