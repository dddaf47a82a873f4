// The tree of agents.

import { h } from './dom.js';
import { STATUS, brief, count, duration, plural } from './format.js';

export class Tree {
  constructor(host, model, { choose, chosen }) {
    Object.assign(this, { host, model, choose, chosen });
    this.list = h('ul', { class: 'tree', role: 'tree', 'aria-label': 'Agents of this session' });
    this.title = h('h2', {}, 'Agents');
    host.append(h('div', { class: 'bar' }, this.title), this.list);
    this.rows = new Map();
    this.list.addEventListener('keydown', (event) => this.key(event));
  }

  draw(now) {
    const lanes = this.model.lanes;
    this.title.textContent = plural(lanes.length, 'agent');
    lanes.forEach((agent, at) => {
      const row = this.row(agent);
      if (this.list.children[at] !== row) this.list.insertBefore(row, this.list.children[at] || null);
      this.update(row, agent, now);
    });
  }

  row(agent) {
    let row = this.rows.get(agent.id);
    if (row) return row;
    row = h('li', { role: 'treeitem', tabindex: this.rows.size ? '-1' : '0', 'data-agent': agent.id },
      h('span', { class: 'sign', 'aria-hidden': 'true' }), h('span', { class: 'who' }), h('span', { class: 'state' }),
      h('span', { class: 'note' }), h('span', { class: 'facts' }), h('span', { class: 'juice', hidden: true }, h('span')));
    row.addEventListener('click', () => this.choose({ kind: 'agent', agent: agent.id }));
    this.rows.set(agent.id, row);
    return row;
  }

  update(row, agent, now) {
    const shown = agent.shown;
    const [sign, who, state, note, facts, juice] = row.children;
    const chosen = this.chosen()?.agent === agent.id;
    const used = agent.tokens || agent.thread?.usedJuice || 0;
    const turns = agent.maxTurns ? `${agent.turnList.length}/${agent.maxTurns} turns` : plural(agent.turnList.length, 'turn');
    const line = [turns, `${count(used)} tokens`, duration(agent.elapsed(now))].filter(Boolean).join(' · ');
    const key = [shown, chosen, agent.title, agent.note, line, agent.depth, agent.juice].join('|');
    if (row.dataset.key === key) return;
    row.dataset.key = key;
    row.dataset.status = shown;
    row.style.paddingLeft = `${8 + Math.min(agent.depth, 6) * 14}px`;
    row.setAttribute('aria-level', agent.depth + 1);
    row.setAttribute('aria-selected', String(chosen));
    sign.textContent = STATUS[shown].sign;
    who.textContent = agent.title;
    who.title = agent.title;
    state.textContent = STATUS[shown].text;
    note.textContent = agent.note || brief(agent.thread?.preview || agent.runs[0]?.begun?.description || '', 70);
    facts.textContent = line;
    juice.hidden = !agent.juice;
    if (agent.juice) {
      juice.firstChild.style.width = `${Math.min(100, (100 * used) / agent.juice)}%`;
      juice.title = `${count(used)} of ${count(agent.juice)} tokens used`;
      facts.textContent += ` · ${count(Math.max(0, agent.juice - used))} left`;
    }
  }

  key(event) {
    const rows = [...this.list.children];
    const now = rows.indexOf(document.activeElement);
    const agent = this.model.lanes[now];
    const go = (at) => {
      const row = rows[Math.max(0, Math.min(rows.length - 1, at))];
      for (const one of rows) one.tabIndex = one === row ? 0 : -1;
      row?.focus();
    };
    const keys = {
      ArrowDown: () => go(now + 1), ArrowUp: () => go(now - 1), Home: () => go(0), End: () => go(rows.length - 1),
      ArrowLeft: () => agent?.parent && go(this.model.agents.get(agent.parent)?.lane ?? now),
      ArrowRight: () => agent?.children.length && go(now + 1),
      Enter: () => agent && this.choose({ kind: 'agent', agent: agent.id }),
      ' ': () => agent && this.choose({ kind: 'agent', agent: agent.id }),
      Escape: () => this.choose(null),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }
}
