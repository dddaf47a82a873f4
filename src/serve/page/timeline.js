// One lane for each agent on a common axis of time.

import { byId, h, say, perFrame } from './dom.js';
import { AXIS, LANE, Painter, box } from './draw.js';
import { STATUS, brief, clock, duration, plural } from './format.js';

const MARGIN = 0.04;
const MIN_SPAN = 20;

export class Timeline {
  constructor(host, model, { choose, chosen, openAgent }) {
    Object.assign(this, { host, model, choose, chosen, openAgent });
    this.mode = 'fit';
    this.from = 0;
    this.span = 1000;
    this.build();
    this.draw = perFrame(() => this.paint());
    this.painter = new Painter(this.canvas);
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    this.listen();
  }

  build() {
    this.canvas = h('canvas', { class: 'lanes-canvas', 'aria-hidden': 'true' });
    this.labels = h('div', { class: 'lane-labels' });
    this.inner = h('div', { class: 'lanes-inner' }, this.canvas, this.labels);
    this.scroller = h('div', {
      class: 'lanes', tabindex: '0', role: 'application', id: 'lanes', 'aria-describedby': 'lanes-help',
      'aria-label': 'Timeline: one lane for each agent', 'aria-roledescription': 'timeline',
    }, this.inner);
    this.tip = h('div', { class: 'tip', role: 'tooltip', hidden: true });
    const button = (text, label, act) => h('button', { type: 'button', class: 'quiet', title: label, 'aria-label': label, onclick: act }, text);
    this.follower = button('Follow', 'Follow what happens now (F)', () => this.follow());
    this.host.append(
      h('div', { class: 'bar' }, h('h2', {}, 'Timeline'), legend(), h('span', { class: 'grow' }),
        button('−', 'Zoom out (-)', () => this.zoom(1.5)), button('+', 'Zoom in (+)', () => this.zoom(1 / 1.5)),
        button('Fit', 'Show everything (0)', () => this.fit()), this.follower),
      this.scroller, this.tip,
      h('p', { id: 'lanes-help', class: 'unseen' }, 'Arrow keys left and right go through what an agent did, up and down change the agent, Enter shows it.'),
    );
  }

  listen() {
    const at = (event) => event.clientX - this.canvas.getBoundingClientRect().left;
    this.scroller.addEventListener('scroll', () => this.draw());
    this.scroller.addEventListener('wheel', (event) => {
      if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(event.deltaY / 300), at(event));
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX || event.deltaY);
      else return;
      event.preventDefault();
    }, { passive: false });
    let held = null;
    this.canvas.addEventListener('pointerdown', (event) => { held = { x: event.clientX, moved: false }; });
    window.addEventListener('pointermove', (event) => {
      if (!held) return;
      const by = held.x - event.clientX;
      if (!held.moved && Math.abs(by) < 4) return;
      held = { x: event.clientX, moved: true };
      this.pan(by);
    });
    window.addEventListener('pointerup', (event) => {
      const clicked = held && !held.moved && event.target === this.canvas;
      held = null;
      if (clicked) this.choose(this.find(event));
    });
    this.canvas.addEventListener('mousemove', (event) => this.point(event));
    this.canvas.addEventListener('mouseleave', () => { this.tip.hidden = true; });
    this.scroller.addEventListener('keydown', (event) => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowLeft: () => this.walk(-1), ArrowRight: () => this.walk(1), ArrowUp: () => this.lane(-1), ArrowDown: () => this.lane(1),
      '+': () => this.zoom(1 / 1.5), '=': () => this.zoom(1 / 1.5), '-': () => this.zoom(1.5), 0: () => this.fit(),
      f: () => this.follow(), Enter: () => byId('detail')?.focus(), Escape: () => this.choose(null),
      Home: () => this.walk(-Infinity), End: () => this.walk(Infinity),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  /** What an agent did, in order of time. */
  items(agent) {
    return [...agent.runs, ...agent.turnList, ...agent.calls, ...agent.asks, ...agent.graces, ...agent.marks]
      .sort((a, b) => a.t0 - b.t0);
  }

  walk(by) {
    const chosen = this.chosen();
    const agent = this.model.agents.get(chosen?.agent) || this.model.lanes[0];
    if (!agent) return;
    const items = this.items(agent);
    const now = items.indexOf(chosen);
    const to = by === -Infinity ? 0 : by === Infinity ? items.length - 1 : now < 0 ? (by > 0 ? 0 : items.length - 1) : now + by;
    this.pick(items[Math.max(0, Math.min(items.length - 1, to))]);
  }

  lane(by) {
    const chosen = this.chosen();
    const now = this.model.agents.get(chosen?.agent)?.lane ?? -1;
    const agent = this.model.lanes[Math.max(0, Math.min(this.model.lanes.length - 1, now + by))];
    if (!agent) return;
    const at = chosen?.t0 ?? 0;
    const items = this.items(agent).filter((item) => item.kind !== 'run');
    let near = agent.run;
    for (const item of items) if (!near || Math.abs(item.t0 - at) < Math.abs(near.t0 - at)) near = item;
    this.pick(near || { kind: 'agent', agent: agent.id });
  }

  pick(item) {
    if (!item) return;
    this.choose(item);
    this.show(item);
    say(describe(item, this.model));
  }

  /** Brings an item into sight. */
  show(item) {
    if (item.t0 === undefined) return;
    const { from, span } = this.window();
    if (item.t0 < from || item.t0 > from + span) { this.mode = 'free'; this.span = span; this.from = item.t0 - span / 3; }
    const lane = this.model.agents.get(item.agent)?.lane ?? 0;
    const top = lane * LANE;
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + LANE + AXIS > scrollTop + clientHeight) this.scroller.scrollTop = top + LANE + AXIS - clientHeight;
    this.draw();
  }

  /** The time that is now; it stands still while nobody works. */
  now() {
    const last = this.model.t1 ?? Date.now();
    return this.model.busy ? Math.max(last, Date.now() - this.model.cut) : last;
  }

  window() {
    const now = this.now();
    const zero = this.model.t0 ?? now;
    if (this.mode === 'fit') {
      const span = Math.max(MIN_SPAN, now - zero) * (1 + MARGIN * 2);
      return { from: zero - span * MARGIN, span, now, zero };
    }
    if (this.mode === 'follow') return { from: now - this.span * (1 - MARGIN), span: this.span, now, zero };
    return { from: this.from, span: this.span, now, zero };
  }

  zoom(by, at) {
    const { from, span, now, zero } = this.window();
    const width = this.canvas.clientWidth || 1;
    const point = at === undefined ? (this.mode === 'free' ? 0.5 : 1 - MARGIN) : at / width;
    const next = Math.max(MIN_SPAN, Math.min(span * by, (now - zero + 1000) * 4));
    this.from = from + (span - next) * point;
    this.span = next;
    this.mode = this.mode !== 'free' && at === undefined ? 'follow' : 'free';
    this.draw();
  }

  pan(pixels) {
    const { from, span, now } = this.window();
    this.span = span;
    this.from = from + (pixels / (this.canvas.clientWidth || 1)) * span;
    this.mode = this.from + span >= now && pixels > 0 ? 'follow' : 'free';
    this.draw();
  }

  fit() { this.mode = 'fit'; this.draw(); }

  follow() { this.span = this.window().span; this.mode = 'follow'; this.draw(); }

  /** What is under the pointer. */
  find(event) {
    const area = this.canvas.getBoundingClientRect();
    const x = event.clientX - area.left;
    const y = event.clientY - area.top;
    const lane = Math.floor((y - AXIS + this.scroller.scrollTop) / LANE);
    const agent = y > AXIS ? this.model.lanes[lane] : undefined;
    if (!agent) return null;
    const top = AXIS + lane * LANE - this.scroller.scrollTop;
    const { from, span, now } = this.window();
    const time = (pixel) => from + (pixel / area.width) * span;
    const hit = (item) => {
      const [at, high] = ['retry', 'error', 'told'].includes(item.kind) ? [top + 44, 16] : box(item, top);
      const near = item.t1 === item.t0 || item.kind === 'retry' ? 8 : 2;
      return time(x + near) >= item.t0 && time(x - near) <= (item.t1 ?? now) && y >= at - 1 && y <= at + high + 1;
    };
    const lists = [agent.marks, agent.calls, agent.graces, agent.asks, agent.turnList, agent.runs];
    for (const list of lists) {
      const found = list.findLast(hit);
      if (found) return found;
    }
    return { kind: 'agent', agent: agent.id };
  }

  point(event) {
    const item = this.find(event);
    this.tip.hidden = !item || item.kind === 'agent';
    if (this.tip.hidden) return;
    this.tip.textContent = describe(item, this.model);
    const area = this.host.getBoundingClientRect();
    const left = Math.min(event.clientX - area.left + 12, area.width - this.tip.offsetWidth - 8);
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${event.clientY - area.top + 16}px`;
  }

  theme() { this.painter.theme(); this.draw(); }

  paint() {
    const { from, span, now, zero } = this.window();
    const width = this.scroller.clientWidth;
    const height = this.scroller.clientHeight;
    if (!width || !height) return;
    const tall = AXIS + this.model.lanes.length * LANE;
    this.inner.style.height = `${Math.max(tall, height)}px`;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.painter.paint(this.model, { from, now, zero, width, height, scale: width / span, scroll: this.scroller.scrollTop, chosen: this.chosen() });
    this.follower.setAttribute('aria-pressed', String(this.mode !== 'free'));
    this.scroller.dataset.lanes = this.model.lanes.length;
    this.scroller.dataset.events = this.model.count;
    this.scroller.dataset.arrows = this.model.arrows.length;
    this.label();
    // Time goes on by itself only while someone works, and is in sight.
    if (this.model.busy && this.mode !== 'free' && !this.ticking) {
      this.ticking = setTimeout(() => { this.ticking = null; this.draw(); }, this.calm() ? 1000 : 120);
    }
  }

  calm() { return matchMedia('(prefers-reduced-motion: reduce)').matches; }

  /** The names of the lanes, and what stands at them. */
  label() {
    const lanes = this.model.lanes;
    while (this.labels.children.length > lanes.length) this.labels.lastChild.remove();
    lanes.forEach((agent, at) => {
      let label = this.labels.children[at];
      if (!label) {
        label = h('button', { type: 'button', class: 'lane-label', tabindex: '-1' }, h('span', { class: 'sign' }), h('span', { class: 'name' }), h('span', { class: 'more' }));
        label.addEventListener('click', () => this.openAgent(this.model.lanes[at].id));
        label.style.top = `${AXIS + at * LANE + 2}px`;
        this.labels.append(label);
      }
      const shown = agent.shown;
      const ask = agent.asking > 0 ? agent.asks.findLast((one) => one.t1 === null) : null;
      const more = ask ? `asks: ${ask.tool} ${brief(ask.detail, 48)}` : agent.note ? brief(agent.note, 48) : '';
      const key = `${shown}|${agent.title}|${more}`;
      if (label.dataset.key === key) return;
      label.dataset.key = key;
      label.dataset.status = shown;
      label.dataset.agent = agent.id;
      label.children[0].textContent = STATUS[shown].sign;
      label.children[1].textContent = agent.title;
      label.children[2].textContent = more;
    });
  }
}

/** An item in a line. */
export function describe(item, model) {
  const agent = model.agents.get(item.agent);
  const long = item.t1 === null ? 'goes on' : duration(item.t1 - item.t0);
  const who = agent ? agent.title : '';
  switch (item.kind) {
    case 'run': return `${who}: run from ${clock(model.real(item.t0))}, ${long}${item.outcome ? `, ${item.outcome.status}` : ''}`;
    case 'turn': return `${who}: turn ${item.n}, ${long}, ${plural(item.calls, 'call')}`;
    case 'call': return `${who}: ${item.tool}, ${long}${item.ok === false ? ', failed' : ''}\n${brief(typeof item.args === 'string' ? item.args : JSON.stringify(item.args ?? ''), 90)}`;
    case 'ask': return `${who} asks: ${item.tool}, ${item.decision || 'waits for an answer'}\n${brief(item.detail, 90)}`;
    case 'grace': return `${who}: grace period after ${item.reason}, ${long}`;
    case 'retry': return `${who}: tries again in ${duration(item.data.delay_ms)}\n${brief(item.data.error?.message, 90)}`;
    case 'error': return `${who}: error\n${brief(item.data.error?.message, 90)}`;
    case 'told': return `${who} is told\n${brief(item.data.text, 90)}`;
    default: return who;
  }
}

function legend() {
  const entry = (kind, text) => h('li', {}, h('span', { class: `key key-${kind}`, 'aria-hidden': 'true' }), text);
  const close = (event) => { if (event.key === 'Escape') event.currentTarget.open = false; };
  return h('details', { class: 'legend', onkeydown: close }, h('summary', {}, 'Legend'),
    h('ul', {},
      entry('turn', 'turn'), entry('call', 'tool call'), entry('change', 'command or change'), entry('collab', 'acts on agents'),
      entry('wait', 'waits for agents'), entry('ask', 'waits for a person ◆'), entry('bad', 'failed ✕'), entry('grace', 'grace period'),
      entry('retry', 'tries again ↻'), entry('told', 'is told something »'), entry('spawn', 'starts an agent'), entry('send', 'tells an agent'), entry('result', 'hands in its result')));
}
