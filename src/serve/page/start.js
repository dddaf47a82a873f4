// The first page: which agents there are, and which sessions.

import { fill, h } from './dom.js';
import { STATUS, ago, brief, count, plural } from './format.js';
import { modePicker } from './modes.js';

export async function start(main, { rpc, go }) {
  const agentList = h('div', { class: 'cards' }, h('p', { class: 'dim' }, 'Reading definitions…'));
  const sessions = h('div', { class: 'sessions' });
  const select = h('select', { id: 'agent', required: true });
  const box = h('textarea', { id: 'task', rows: 3, required: true, placeholder: 'What is to be done? Ctrl+Enter starts.' });
  const wrong = h('p', { class: 'bad-text', role: 'alert', hidden: true });
  const modes = h('span', { class: 'row' });
  const model = h('input', { id: 'model', autocomplete: 'off', placeholder: 'the agent’s own' });
  const form = h('form', { class: 'task pane' }, h('div', { class: 'bar' }, h('h2', {}, 'Give an agent a task')),
    h('div', { class: 'body' }, h('label', {}, 'Task', box),
      h('div', { class: 'row' }, h('label', { class: 'inline' }, 'Agent ', select), modes, h('label', { class: 'inline' }, 'Model ', model), h('span', { class: 'grow' }), h('button', { type: 'submit', class: 'main', id: 'go' }, 'Start')), wrong));
  const pane = (title, body) => h('section', { class: 'pane' }, h('div', { class: 'bar' }, h('h2', {}, title)), body);
  fill(main, h('div', { class: 'start' }, form, h('div', { class: 'columns' }, pane('Agents', agentList), pane('Recent sessions', sessions))));
  let picker = null;
  const run = async () => {
    wrong.hidden = true;
    try {
      const { thread } = await rpc.call('thread/start', { agent: select.value, model: model.value.trim() || undefined, collaborationMode: picker?.value() });
      await rpc.call('turn/start', { threadId: thread.id, input: [{ type: 'text', text: box.value }] });
      go(`/session/${thread.id}`);
    } catch (error) {
      wrong.textContent = error.message;
      wrong.hidden = false;
    }
  };
  form.addEventListener('submit', (event) => { event.preventDefault(); run(); });
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); }
  });
  const choose = (name) => { select.value = name; box.focus(); };
  const fail = (place) => (error) => fill(place, h('p', { class: 'bad-text body' }, error.message));
  modePicker(rpc, { first: 'the agent’s own' }).then((made) => { picker = made; fill(modes, made.elements); }).catch(() => {});
  const listAgents = rpc.call('agents/list').then(({ data }) => showAgents(data, agentList, select, choose), fail(agentList));
  const listSessions = () => rpc.call('thread/list', { limit: 30 }).then(({ data }) => showSessions(data, sessions), fail(sessions));
  await Promise.all([listAgents, listSessions()]);
  rpc.on('notification', ({ method }) => { if (method === 'thread/started' || method === 'turn/completed') listSessions(); });
}

function showAgents(agents, host, select, choose) {
  // What is wrong with an agent may be mended by what is chosen beside it, such as the model.
  const visible = agents.filter((agent) => !agent.shadowedBy);
  fill(select, visible.map((agent) => h('option', { value: agent.agentType }, agent.agentType, agent.problems.length ? ' ✕' : '')));
  const first = visible.find((agent) => agent.agentType === 'orchestrator') || visible[0];
  if (first) select.value = first.agentType;
  fill(host, agents.map((agent) => card(agent, choose)));
  if (!agents.length) fill(host, h('p', { class: 'dim' }, 'There are none.'));
}

function card(agent, choose) {
  const { agentType, description, source, dialect, path, shadowedBy, tools, models, sandbox, problems } = agent;
  return h('article', { class: `card ${shadowedBy ? 'out' : ''}`, 'data-agent': agentType },
    h('header', {}, h('h3', {}, agentType), h('span', { class: 'tag' }, source), h('span', { class: 'tag' }, dialect), h('span', { class: 'grow' }),
      !shadowedBy && h('button', { type: 'button', class: 'quiet', 'aria-label': `Give ${agentType} a task`, onclick: () => choose(agentType) }, 'Use')),
    h('p', {}, brief(description, 220)),
    problems.map((problem) => h('p', { class: 'bad-text' }, '✕ ', problem)),
    shadowedBy && h('p', { class: 'dim' }, `hidden by ${shadowedBy}`),
    h('p', { class: 'dim small' }, [models.length ? models.join(' → ') : 'model: default', sandbox && `sandbox ${sandbox}`, path].filter(Boolean).join(' · ')),
    tools.length > 0 && h('details', {}, h('summary', {}, plural(tools.length, 'tool')), h('p', { class: 'tags' }, tools.map((tool) => h('span', { class: 'tag' }, tool)))));
}

function showSessions(threads, host) {
  if (!threads.length) {
    fill(host, h('p', { class: 'dim body' }, 'None yet. What agents do is kept here.'));
    return;
  }
  fill(host, h('ul', { class: 'links' }, threads.map((thread) => {
    const shown = STATUS[thread.status] ? thread.status : 'errored';
    return h('li', { 'data-status': shown }, h('a', { href: `/session/${thread.id}`, class: 'session-link' },
      h('span', { class: 'sign', 'aria-hidden': 'true' }, STATUS[shown].sign), h('span', { class: 'what' }, thread.note || brief(thread.preview, 90) || thread.agentType),
      h('span', { class: 'dim small' }, [thread.agentType, STATUS[shown].text, `${count(thread.usedJuice)} tokens`, ago(thread.updatedAtMs)].join(' · '))));
  })));
}
