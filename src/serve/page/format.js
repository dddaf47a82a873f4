// How things are written.

/** What agents can be doing: its words and its sign. Colours are never alone. */
export const STATUS = {
  pendingInit: { text: 'not begun', sign: '○' },
  running: { text: 'running', sign: '●' },
  waiting: { text: 'asks', sign: '◆' },
  interrupted: { text: 'interrupted', sign: '‖' },
  completed: { text: 'completed', sign: '✓' },
  errored: { text: 'failed', sign: '✕' },
  shutdown: { text: 'closed', sign: '■' },
  notFound: { text: 'not found', sign: '?' },
};

const CAMEL = { pending_init: 'pendingInit', not_found: 'notFound' };

/** A status as it is written here, whichever way it was written there. */
export const status = (name) => CAMEL[name] || (STATUS[name] ? name : 'errored');

/** What a run that ended like this leaves behind. */
export function after(outcome) {
  if (outcome === 'goal') return 'completed';
  return outcome === 'aborted' ? 'interrupted' : 'errored';
}

export function duration(ms) {
  if (ms === null || ms === undefined || Number.isNaN(ms)) return '';
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}\u00a0ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}\u00a0s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}\u00a0s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

export function count(number) {
  if (number === null || number === undefined) return '';
  if (number < 1000) return String(number);
  if (number < 1_000_000) return `${(number / 1000).toFixed(number < 100_000 ? 1 : 0)}k`;
  return `${(number / 1_000_000).toFixed(1)}M`;
}

export const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many || `${one}s`}`;

export function ago(ms, now = Date.now()) {
  const seconds = Math.max(0, (now - ms) / 1000);
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return new Date(ms).toLocaleDateString();
}

export const clock = (ms) => new Date(ms).toLocaleTimeString([], { hour12: false });

/** The first line, cut. */
export function brief(text, most = 80) {
  const line = String(text || '').trim().split('\n')[0];
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** A value as people read it. */
export function pretty(value) {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    const parsed = JSON.parse(value);
    return typeof parsed === 'object' && parsed ? JSON.stringify(parsed, null, 2) : value;
  } catch {
    return value;
  }
}
