// Paints the lanes of a timeline. Only what is visible is painted; what would fall on the same pixels is
// painted once.

import { duration } from './format.js';

export const LANE = 64;
export const AXIS = 24;
const LABEL = 20;
const BAND = 38;
const ROW = 12;
const ROWS = 3;

/** The colours of the present theme, by name. */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const names = ['text', 'dim', 'line', 'panel', 'run', 'run-soft', 'turn', 'call', 'change', 'collab', 'wait',
    'ask', 'bad', 'good', 'grey', 'focus', 'spawn', 'send', 'result'];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--c-${name}`).trim()]));
}

const CHANGES = new Set(['shell', 'exec_command', 'write_file', 'apply_patch']);
const STEPS = [10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5];

/** Where the items of a lane are, for painting and for finding them. */
export function box(item, laneTop) {
  const top = laneTop + LABEL;
  if (item.kind === 'call') return [top + 1 + Math.min(item.row, ROWS - 1) * ROW, ROW - 1];
  if (item.kind === 'grace') return [top + BAND - 5, 5];
  if (item.kind === 'ask') return [top, BAND];
  return [top, BAND];
}

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.patterns = {};
    this.theme();
  }

  theme() {
    this.c = colours();
    this.font = getComputedStyle(document.body).fontFamily;
    this.patterns = { wait: this.hatch(this.c.wait), ask: this.hatch(this.c.ask) };
  }

  hatch(colour) {
    const tile = document.createElement('canvas');
    tile.width = 6;
    tile.height = 6;
    const pen = tile.getContext('2d');
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const shift of [-6, 0, 6]) { pen.moveTo(shift, 6); pen.lineTo(shift + 6, 0); }
    pen.stroke();
    return this.context.createPattern(tile, 'repeat');
  }

  /** Paints what `view` shows of `model`. */
  paint(model, view) {
    const ratio = window.devicePixelRatio || 1;
    const { width, height } = view;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const pen = this.context;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.view = view;
    const first = Math.max(0, Math.floor(view.scroll / LANE));
    const last = Math.min(model.lanes.length, Math.ceil((view.scroll + height) / LANE));
    this.drawn = 0;
    this.grid(view, first, last);
    this.pauses(model, view);
    for (let at = first; at < last; at += 1) this.lane(model.lanes[at], view);
    this.arrows(model, view);
    this.axis(view, model);
  }

  x(t) { return (t - this.view.from) * this.view.scale; }

  top(lane) { return AXIS + lane * LANE - this.view.scroll; }

  step(view) { return STEPS.find((step) => step * view.scale >= 84) || STEPS[STEPS.length - 1]; }

  grid(view, first, last) {
    const pen = this.context;
    pen.strokeStyle = this.c.line;
    pen.lineWidth = 1;
    pen.beginPath();
    const step = this.step(view);
    const start = Math.floor((view.from - view.zero) / step) * step + view.zero;
    for (let t = start; this.x(t) < view.width; t += step) {
      const x = Math.round(this.x(t)) + 0.5;
      pen.moveTo(x, AXIS);
      pen.lineTo(x, view.height);
    }
    for (let at = first; at <= last; at += 1) {
      const y = Math.round(this.top(at)) + 0.5;
      pen.moveTo(0, y);
      pen.lineTo(view.width, y);
    }
    pen.globalAlpha = 0.6;
    pen.stroke();
    pen.globalAlpha = 1;
  }

  /** Where time was cut because nobody worked. */
  pauses(model, view) {
    const pen = this.context;
    for (const cut of model.cuts) {
      const left = this.x(cut.from);
      const right = this.x(cut.t);
      if (right < 0 || left > view.width) continue;
      pen.fillStyle = this.c.line;
      pen.globalAlpha = 0.5;
      pen.fillRect(left, AXIS, right - left, view.height);
      pen.globalAlpha = 1;
      pen.save();
      pen.translate((left + right) / 2, AXIS + 8);
      pen.rotate(Math.PI / 2);
      pen.fillStyle = this.c.dim;
      pen.font = `11px ${this.font}`;
      pen.textBaseline = 'middle';
      pen.fillText(`${duration(cut.by)} of rest`, 0, 0);
      pen.restore();
    }
  }

  axis(view, model) {
    const pen = this.context;
    pen.fillStyle = this.c.panel;
    pen.fillRect(0, 0, view.width, AXIS);
    pen.fillStyle = this.c.dim;
    pen.font = `11px ${this.font}`;
    pen.textBaseline = 'middle';
    const step = this.step(view);
    const start = Math.floor((view.from - view.zero) / step) * step + view.zero;
    for (let t = start; this.x(t) < view.width; t += step) {
      const clear = !model.busy || Math.abs(this.x(t) + 18 - this.x(view.now)) > 38;
      if (t >= view.zero && clear) pen.fillText(offset(t - view.zero, step), this.x(t) + 4, AXIS / 2);
    }
    pen.strokeStyle = this.c.line;
    pen.beginPath();
    pen.moveTo(0, AXIS - 0.5);
    pen.lineTo(view.width, AXIS - 0.5);
    pen.stroke();
    if (model.busy) {
      const x = this.x(view.now);
      pen.strokeStyle = this.c.run;
      pen.beginPath();
      pen.moveTo(x, AXIS);
      pen.lineTo(x, view.height);
      pen.stroke();
      pen.fillStyle = this.c.run;
      pen.fillText('now', Math.min(x - 10, view.width - 26), AXIS / 2);
    }
  }

  /** The pixels of a span, or nothing if it is out of sight. */
  span(item) {
    const left = this.x(item.t0);
    const right = Math.max(left + 2, this.x(item.t1 ?? this.view.now));
    return right < 0 || left > this.view.width ? null : [Math.max(-4, left), Math.min(this.view.width + 4, right)];
  }

  lane(agent, view) {
    const top = this.top(agent.lane);
    for (const run of agent.runs) this.run(agent, run, top);
    this.many(agent.turnList, top, (item, left, right, y, high) => this.turn(item, left, right, y, high));
    this.many(agent.asks, top, (item, left, right, y, high) => this.fill(this.patterns.ask, left, right, y, high));
    this.many(agent.calls, top, (item, left, right, y, high) => this.call(item, left, right, y, high));
    this.many(agent.graces, top, (item, left, right, y, high) => this.fill(this.c.ask, left, right, y, high));
    for (const mark of agent.marks) this.mark(mark, top);
    for (const ask of agent.asks) if (ask.t1 === null) this.sign('?', this.x(view.now) - 8, top + LABEL + BAND / 2, this.c.ask);
    const chosen = view.chosen;
    if (chosen && chosen.agent === agent.id && chosen.kind !== 'agent') this.frame(chosen, top);
  }

  /** Calls `draw` for what is visible, once for what lies on the same pixels. */
  many(items, top, draw) {
    const ends = [];
    for (const item of items) {
      const span = this.span(item);
      if (!span) continue;
      const row = item.row || 0;
      if (ends[row] !== undefined && span[1] <= ends[row] + 1 && item !== this.view.chosen) continue;
      ends[row] = span[1];
      const [y, high] = box(item, top);
      draw(item, span[0], span[1], y, high);
      this.drawn += 1;
    }
  }

  run(agent, run, top) {
    const span = this.span(run);
    if (!span) return;
    const [left, right] = span;
    const pen = this.context;
    const failed = run.outcome && run.outcome.status !== 'goal';
    pen.fillStyle = this.c['run-soft'];
    pen.beginPath();
    pen.roundRect(left, top + LABEL - 1, right - left, BAND + 2, 4);
    pen.fill();
    pen.fillStyle = run.t1 === null ? this.c.run : failed ? this.c.bad : this.c.good;
    pen.fillRect(left, top + LABEL + BAND - 1, right - left, 2.5);
    if (run.t1 !== null) this.sign(failed ? '✕' : '✓', right + 10, top + LABEL + BAND / 2, pen.fillStyle);
  }

  turn(turn, left, right, y, high) {
    const pen = this.context;
    pen.fillStyle = this.c.turn;
    pen.globalAlpha = turn.n % 2 ? 0.5 : 0.85;
    pen.fillRect(left + 0.5, y, Math.max(1, right - left - 1), high - 1);
    pen.globalAlpha = 1;
  }

  call(call, left, right, y, high) {
    const pen = this.context;
    const c = this.c;
    const colour = call.ok === false ? c.bad : call.collab ? c.collab : CHANGES.has(call.tool) ? c.change : c.call;
    if (call.waits) {
      this.fill(this.patterns.wait, left, right, y, high);
      pen.strokeStyle = call.ok === false ? c.bad : c.wait;
      pen.lineWidth = 1;
      pen.strokeRect(left + 0.5, y + 0.5, Math.max(1, right - left - 1), high - 1);
    } else {
      pen.fillStyle = colour;
      pen.beginPath();
      pen.roundRect(left, y, right - left, high, 2);
      pen.fill();
    }
    if (right - left > 34) this.words(call, left, right, y, high);
  }

  words(call, left, right, y, high) {
    const pen = this.context;
    pen.save();
    pen.beginPath();
    pen.rect(left, y, right - left - 2, high);
    pen.clip();
    pen.font = `600 10px ${this.font}`;
    pen.textBaseline = 'middle';
    const text = `${call.ok === false ? '✕ ' : ''}${call.tool}`;
    const from = Math.max(left, 0) + 4;
    if (call.waits) {
      pen.fillStyle = this.c.panel;
      pen.fillRect(from - 2, y + 1, pen.measureText(text).width + 4, high - 2);
    }
    pen.fillStyle = call.waits ? this.c.text : this.c.panel;
    pen.fillText(text, from, y + high / 2 + 0.5);
    pen.restore();
  }

  fill(style, left, right, y, high) {
    this.context.fillStyle = style;
    this.context.fillRect(left, y, right - left, high);
  }

  mark(mark, top) {
    const x = this.x(mark.t0);
    if (x < -20 || x > this.view.width + 20) return;
    if (mark.kind === 'retry' && mark.t1 > mark.t0) {
      this.fill(this.patterns.ask, x, this.x(mark.t1), top + LABEL + BAND - 10, 8);
    }
    const [sign, colour] = { retry: ['↻', this.c.ask], error: ['!', this.c.bad], told: ['»', this.c.run] }[mark.kind];
    this.sign(sign, x, top + LABEL + BAND - 7, colour);
  }

  /** A sign in a small disc. */
  sign(text, x, y, colour) {
    const pen = this.context;
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(x, y, 7, 0, 7);
    pen.fill();
    pen.fillStyle = this.c.panel;
    pen.font = `700 10px ${this.font}`;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.fillText(text, x, y + 0.5);
    pen.textAlign = 'start';
  }

  frame(item, top) {
    const span = this.span(item);
    if (!span) return;
    const [y, high] = box(item, top);
    const pen = this.context;
    pen.strokeStyle = this.c.focus;
    pen.lineWidth = 2;
    pen.strokeRect(span[0] - 2, y - 2, span[1] - span[0] + 4, high + 4);
    pen.lineWidth = 1;
  }

  arrows(model, view) {
    let last = {};
    for (const arrow of model.arrows) {
      const x = this.x(arrow.t);
      if (x < -10 || x > view.width + 10) continue;
      const from = model.agents.get(arrow.from);
      const to = model.agents.get(arrow.to);
      if (!from || !to) continue;
      const key = `${from.lane}>${to.lane}${arrow.kind}`;
      if (last[key] !== undefined && x - last[key] < 2) continue;
      last[key] = x;
      this.arrow(arrow.kind, x, this.top(from.lane) + LABEL + BAND / 2, this.top(to.lane) + LABEL + BAND / 2);
    }
  }

  arrow(kind, x, y0, y1) {
    const pen = this.context;
    const down = Math.sign(y1 - y0) || 1;
    const from = y0 + (down * BAND) / 2;
    const end = y1 - (down * BAND) / 2 - down;
    pen.strokeStyle = this.c[kind];
    pen.fillStyle = this.c[kind];
    pen.lineWidth = 1.5;
    pen.setLineDash(kind === 'spawn' ? [] : kind === 'send' ? [5, 3] : [2, 2]);
    pen.beginPath();
    pen.moveTo(x, from);
    pen.lineTo(x, end - down * 5);
    pen.stroke();
    pen.setLineDash([]);
    pen.beginPath();
    pen.arc(x, from, 2.5, 0, 7);
    pen.fill();
    pen.beginPath();
    pen.moveTo(x, end);
    pen.lineTo(x - 4, end - down * 7);
    pen.lineTo(x + 4, end - down * 7);
    pen.fill();
    pen.lineWidth = 1;
  }
}

function offset(ms, step) {
  if (step < 1000) return `${(ms / 1000).toFixed(step < 100 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (step < 60_000) return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`;
}
