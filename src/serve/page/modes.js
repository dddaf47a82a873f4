// Chooses how a main agent works.

import { h } from './dom.js';

/** A picker for the modes there are, with what a mode of one's own changes. */
export async function modePicker(rpc, { first }) {
  const { data } = await rpc.call('collaborationMode/list');
  const select = h('select', { id: 'mode', 'aria-label': 'Mode' }, first && h('option', { value: '' }, first),
    data.map((preset) => h('option', { value: preset.mode }, preset.name)));
  const field = (id, label, tag = 'input') => h('label', {}, label, h(tag, { id, rows: 2, autocomplete: 'off' }));
  const own = h('div', { class: 'own', hidden: true }, field('own-model', 'Model'), field('own-effort', 'Effort'), field('own-text', 'Instructions', 'textarea'));
  select.addEventListener('change', () => { own.hidden = select.value !== 'custom'; });
  const written = (id) => own.querySelector(`#${id}`).value.trim() || null;
  return {
    elements: [h('label', { class: 'inline' }, 'Mode ', select), own],
    /** What was chosen, or nothing. */
    value() {
      if (!select.value) return undefined;
      const preset = data.find((one) => one.mode === select.value);
      const settings = select.value === 'custom'
        ? { model: written('own-model'), reasoning_effort: written('own-effort'), developer_instructions: written('own-text') }
        : { model: preset.model, reasoning_effort: preset.reasoning_effort };
      return { mode: select.value, settings };
    },
  };
}
