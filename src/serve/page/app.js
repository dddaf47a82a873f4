// Decides which page this is, and keeps what is on all of them.

import { Approvals } from './approvals.js';
import { catalog } from './catalog.js';
import { byId, fill, h, say } from './dom.js';
import { Rpc } from './rpc.js';
import { Session } from './session.js';
import { start } from './start.js';

const THEMES = ['auto', 'light', 'dark'];

const rpc = new Rpc();
const approvals = new Approvals(rpc);
const main = byId('main');
const page = location.pathname.startsWith('/session/') ? 'session' : location.pathname === '/catalog' ? 'catalog' : 'start';

/** What tests and people at the console look at. */
export const app = { rpc, approvals, page, session: null };
window.agentctl = app;

function trouble(text) {
  const banner = byId('banner');
  banner.textContent = text;
  banner.hidden = !text;
}

function link(state, text) {
  byId('link').dataset.state = state;
  byId('link').textContent = text;
}

function theme(next) {
  if (next === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  byId('theme').textContent = { auto: '◐ Auto', light: '☀ Light', dark: '☾ Dark' }[next];
  byId('theme').setAttribute('aria-label', `Theme: ${next}`);
  localStorage.setItem('theme', next);
  document.dispatchEvent(new Event('themechange'));
}

const HELP = [
  ['?', 'this help'], ['Escape', 'choose nothing, close this'], ['Tab', 'from pane to pane'],
  ['↑ ↓', 'in the tree: from agent to agent; in the timeline: from lane to lane'], ['← →', 'in the timeline: what an agent did, one after the other'],
  ['Enter', 'show what is chosen'], ['+ − 0', 'in the timeline: zoom in, out, show everything'], ['F', 'in the timeline: follow what happens now'],
  ['Ctrl+Wheel, Shift+Wheel', 'in the timeline: zoom, move'], ['/', 'write a message'], ['Ctrl+Enter', 'send it'],
];

function help() {
  const dialog = h('dialog', { class: 'help', 'aria-label': 'Help' }, h('h2', {}, 'Keys'),
    h('dl', {}, HELP.map(([key, what]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)])),
    h('form', { method: 'dialog' }, h('button', { class: 'main' }, 'Close')));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function keys(event) {
  const writing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (writing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '?') help();
  else if (event.key === '/') { (byId('say') || byId('task'))?.focus(); event.preventDefault(); }
}

async function open() {
  const go = (path) => { location.href = path; };
  if (page === 'session') app.session = new Session(main, { rpc, approvals, id: decodeURIComponent(location.pathname.slice(9)), trouble });
  else if (page === 'catalog') await catalog(main, { rpc });
  else await start(main, { rpc, go });
}

for (const one of document.querySelectorAll('nav a')) if (one.dataset.page === page) one.setAttribute('aria-current', 'page');
theme(localStorage.getItem('theme') || 'auto');
byId('theme').addEventListener('click', () => theme(THEMES[(THEMES.indexOf(localStorage.getItem('theme')) + 1) % THEMES.length]));
byId('help').addEventListener('click', help);
document.addEventListener('keydown', keys);
rpc.on('open', () => { link('open', '● connected'); trouble(''); });
rpc.on('lost', () => { link('lost', '○ connection lost'); trouble('Connection lost, catching up as soon as it is back…'); say('Connection lost'); });
rpc.on('stranger', () => trouble('The server was started again: please open the address it printed.'));
rpc.addEventListener('open', () => { open().catch((error) => fill(main, h('p', { class: 'bad-text loading' }, error.message))); }, { once: true });
