// Questions to people: on top of every page until one of them has answered.

import { byId, fill, h, say } from './dom.js';

export class Approvals {
  constructor(rpc) {
    this.rpc = rpc;
    this.open = new Map();
    this.changed = () => {};
    rpc.on('request', ({ id, params }) => {
      if (params?.approvalId) this.add(params, id);
    });
    rpc.on('notification', ({ method, params }) => {
      if (method === 'approval/resolved') this.remove(params.approvalId);
    });
    rpc.on('lost', () => {
      for (const one of this.open.values()) one.rpcId = undefined;
    });
  }

  add(request, rpcId) {
    const known = this.open.get(request.approvalId);
    if (known) { known.rpcId ??= rpcId; return; }
    this.open.set(request.approvalId, { request, rpcId });
    say(`${request.agentPath.join(', ')} asks: ${request.tool}`);
    this.draw();
  }

  /** What has to be answered in a session now: everything else of it has been. */
  sync(threads, requests) {
    const now = new Set(requests.map((request) => request.approvalId));
    for (const [id, { request }] of this.open) if (threads.has(request.threadId) && !now.has(id)) this.open.delete(id);
    for (const request of requests) this.add(request);
    this.draw();
  }

  remove(id) {
    if (this.open.delete(id)) this.draw();
  }

  async answer(id, decision) {
    const one = this.open.get(id);
    if (!one) return;
    this.remove(id);
    if (one.rpcId !== undefined && this.rpc.open) this.rpc.answer(one.rpcId, { decision });
    else await this.rpc.call('approval/answer', { approvalId: id, decision }).catch(() => {});
  }

  draw() {
    const host = byId('approvals');
    host.hidden = this.open.size === 0;
    fill(host, [...this.open.values()].map(({ request }) => this.card(request)));
    this.changed();
  }

  card({ approvalId, agentPath, tool, detail, threadId }) {
    const button = (text, decision, kind, what) => h('button', {
      type: 'button', class: kind, 'aria-label': `${text}: ${what}`, onclick: () => this.answer(approvalId, decision),
    }, text);
    const what = `${tool} of ${agentPath.join(' › ')}`;
    return h('div', { class: 'ask', role: 'group', 'aria-label': `Question: ${what}`, 'data-thread': threadId },
      h('p', {}, h('span', { class: 'sign', 'aria-hidden': 'true' }, '◆ '), h('strong', {}, agentPath.join(' › ')), ' wants to use ', h('strong', {}, tool)),
      h('pre', { tabindex: '0' }, detail),
      h('div', { class: 'row' }, button('Allow', 'accept', 'main', what), button('Always', 'acceptForSession', '', `${what}, also from now on`), button('Deny', 'decline', 'danger', what)));
  }
}
