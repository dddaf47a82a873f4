// The catalog: what is wrong with definitions, at its place, and what each host would do with them.

import { fill, h } from './dom.js';
import { brief, plural } from './format.js';

const SIGN = { error: '✕', warning: '▲', info: 'i' };

export async function catalog(main, { rpc }) {
  const list = h('nav', { class: 'files', 'aria-label': 'Files' });
  const view = h('div', { class: 'file-view', id: 'file', tabindex: '-1' }, h('p', { class: 'dim body' }, 'Reading definitions…'));
  fill(main, h('div', { class: 'catalog' }, h('section', { class: 'pane', 'aria-label': 'Definitions' }, h('div', { class: 'bar' }, h('h2', {}, 'Definitions'), h('span', { class: 'grow' }), h('span', { id: 'summary', class: 'dim small' })), list), h('section', { class: 'pane', 'aria-label': 'File' }, view)));
  try {
    const read = await rpc.call('catalog/read');
    const { summary, files } = read;
    main.querySelector('#summary').textContent = `${plural(summary.error, 'error')}, ${plural(summary.warning, 'warning')}`;
    const open = (file) => show(view, rpc, file, list);
    fill(list, files.map((file) => entry(file, open)));
    const named = decodeURIComponent(location.hash.slice(1));
    const first = files.find((file) => file.path === named) || files.find((file) => file.findings.length) || files[0];
    if (first) await open(first);
    else fill(view, h('p', { class: 'dim body' }, 'There are no definitions.'));
  } catch (error) {
    fill(view, h('p', { class: 'bad-text body' }, error.message));
  }
}

function entry(file, open) {
  const count = (level) => file.findings.filter((finding) => finding.severity === level).length;
  const marks = ['error', 'warning', 'info'].filter((level) => count(level)).map((level) => h('span', { class: `mark ${level}`, title: plural(count(level), level) }, `${SIGN[level]} ${count(level)}`));
  return h('button', { type: 'button', class: 'file', 'data-path': file.path, onclick: () => open(file) },
    h('span', { class: 'who' }, file.agents.join(', ') || '—'), h('span', { class: 'marks' }, marks.length ? marks : h('span', { class: 'mark fine' }, '✓')),
    h('span', { class: 'dim small path' }, `${file.path} · ${file.host}`));
}

async function show(view, rpc, file, list) {
  for (const one of list.children) one.setAttribute('aria-current', String(one.dataset.path === file.path));
  history.replaceState(null, '', `#${encodeURIComponent(file.path)}`);
  const { text, hosts, authority } = await rpc.call('catalog/file', { path: file.path });
  fill(view, h('div', { class: 'bar' }, h('h2', {}, file.path)),
    h('div', { class: 'body' }, file.findings.length ? findings(file, view) : h('p', { class: 'good-text' }, '✓ Nothing to report.'), source(file, text), effects(hosts), authority.map((one) => grants(one, authority.length > 1))));
  view.focus({ preventScroll: true });
}

function findings(file, view) {
  const jump = (finding) => view.querySelector(`[data-line="${finding.start.line}"]`)?.scrollIntoView({ block: 'center' });
  return h('ul', { class: 'findings' }, file.findings.map((finding) => h('li', { class: finding.severity },
    h('button', { type: 'button', class: 'agent-link', onclick: () => jump(finding) }, h('span', { class: `mark ${finding.severity}` }, `${SIGN[finding.severity]} ${finding.severity}`), ` ${finding.start.line}:${finding.start.column} `, h('code', {}, finding.rule)),
    h('p', {}, finding.message), finding.help && h('p', { class: 'help' }, `help: ${finding.help}`))));
}

/** The file with its lines, and what findings are about marked in them. */
function source(file, text) {
  if (text === null) return h('p', { class: 'dim' }, 'The text of this file cannot be shown.');
  const lines = text.split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  const marks = lines.map(() => []);
  for (const { start, end, severity, message } of file.findings) {
    for (let line = start.line; line <= Math.min(end.line, lines.length); line += 1) {
      const from = line === start.line ? start.column - 1 : 0;
      const to = line === end.line ? end.column - 1 : Infinity;
      marks[line - 1]?.push({ from, to: Math.max(to, from + 1), severity, message });
    }
  }
  return [h('h3', {}, 'File'), h('ol', { class: 'source', tabindex: '0', 'aria-label': `Text of ${file.path}` }, lines.map((line, at) => h('li', { 'data-line': at + 1, class: marks[at].length ? 'hit' : '' }, marked(line, marks[at]))))];
}

/** A line in pieces. Columns count characters, not units. */
function marked(line, marks) {
  const chars = [...line];
  if (!marks.length) return line || ' ';
  const cuts = [...new Set([0, chars.length, ...marks.flatMap((mark) => [mark.from, mark.to])])].filter((at) => at <= chars.length).sort((a, b) => a - b);
  const pieces = [];
  for (let at = 0; at + 1 < cuts.length; at += 1) {
    const text = chars.slice(cuts[at], cuts[at + 1]).join('');
    const hits = marks.filter((mark) => mark.from <= cuts[at] && mark.to >= cuts[at + 1]);
    pieces.push(hits.length ? h('mark', { class: hits[0].severity, title: hits.map((hit) => hit.message).join('\n') }, text) : text);
  }
  return pieces.length ? pieces : h('mark', { class: marks[0].severity, title: marks[0].message }, ' ');
}

/** What agentctl grants to an agent as a sub-agent, one line for each reason. */
function grants({ agent, verdicts }, several) {
  const groups = new Map();
  for (const { tool, granted, reason } of verdicts) {
    const key = `${granted ? '✓' : '✕'} ${reason}`;
    if (!groups.has(key)) groups.set(key, { granted, reason, tools: [] });
    groups.get(key).tools.push(tool);
  }
  const sorted = [...groups.values()].sort((a, b) => Number(b.granted) - Number(a.granted));
  return [h('h3', {}, `What agentctl grants to ${several ? agent : 'it'} as a sub-agent`), h('ul', { class: 'grants' }, sorted.map(({ granted, reason, tools: names }) => h('li', {},
    h('p', { class: granted ? 'good-text' : 'bad-text' }, granted ? '✓ ' : '✕ ', h('span', { class: 'dim' }, reason)), h('p', { class: 'tags' }, names.map((name) => h('span', { class: 'tag' }, name))))))];
}

/** What each host would make of the file. */
function effects(hosts) {
  const names = new Set(hosts.map((host) => host.agent));
  const columns = ['host', names.size > 1 && 'agent', 'loads', 'tools', 'problems'].filter(Boolean);
  return [h('h3', {}, 'What each host would do with it'), h('div', { class: 'wide' }, h('table', {},
    h('thead', {}, h('tr', {}, columns.map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, hosts.map((host) => h('tr', { class: host.own ? 'own-host' : '', 'data-host': host.id },
      h('th', { scope: 'row' }, host.host, host.own && h('span', { class: 'tag' }, 'its own')), names.size > 1 && h('td', {}, host.agent || '—'),
      h('td', { class: 'short' }, host.loads ? h('span', { class: 'good-text' }, '✓ yes') : h('span', { class: 'bad-text' }, '✕ no')), h('td', { class: 'tools' }, tools(host)),
      h('td', { class: 'small' }, host.problems.slice(0, 3).map((problem) => h('p', {}, brief(problem, 160))), host.problems.length > 3 && h('p', { class: 'dim' }, `and ${host.problems.length - 3} more`)))))))];
}

function tools(host) {
  if (!host.loads) return h('span', { class: 'dim' }, 'none');
  if (host.grant) return host.grant;
  return h('span', { class: 'tags' }, host.tools.map(({ name, canonical, effect }) => h('span', { class: `tag ${canonical ? effect : 'bad'}`, title: canonical ? canonical.join(', ') : 'not a tool of this host' }, effect === 'deny' ? '− ' : canonical ? '' : '✕ ', name)));
}
