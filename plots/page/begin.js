
// Begin: the page in the state of its address, and the keyboard.

const help = () => el('dialog', { id: 'help', 'aria-label': 'Help' }, el('h2', null, 'Keys and marks'),
  el('dl', { class: 'facts' }, [['j k', 'the next and the previous item, in the list and of the open one; the arrows do the same'], ['Enter', 'opens the item'], ['Esc', 'closes the item, or leaves the search'],
    ['/', 'searches'], ['?', 'this help']].map(([k, what]) => el('div', null, el('dt', null, k.split(' ').flatMap((x) => [el('kbd', null, x), ' '])), el('dd', null, what)))),
  el('p', null, Object.entries(letters).filter(([s]) => ix.statuses.includes(s)).map(([s]) => el('span', { class: 'legend' }, mark(s, s), ` ${s}`))),
  el('p', { class: 'notes' }, 'The address holds the filters and the open item: it is a link to them.'),
  el('form', { method: 'dialog' }, el('button', null, 'Close')));

// refocus gives the focus back to the control that had it before the page was made anew.
const refocus = (key, setting) => {
  const kept = key ? `[data-key="${CSS.escape(key)}"]` : setting ? `input[data-setting="${CSS.escape(setting)}"]` : null;
  if (kept) (document.querySelector(kept) || byId('items-title')).focus({ preventScroll: true });
};

// render brings the page to the state of the address.
async function render() {
  const was = state.item;
  readState();
  const open = state.item !== '';
  const { key, setting } = document.activeElement?.dataset || {};
  byId('browser').replaceChildren(...[filters()].flat().filter(Boolean), el('div', { id: 'list' }));
  document.body.classList.toggle('open', open);
  byId('item').hidden = !open;
  fillList();
  if (open) await showItem();
  if (open && was !== state.item) {
    scrollTo(0, 0);
    byId('item').querySelector('h2')?.focus({ preventScroll: true });
  } else if (!open && was !== '') {
    byId('items').scrollIntoView();
    focusRow(listed.findIndex((x) => ix.items[x.i].i === was));
  }
  refocus(key, setting);
  document.body.dataset.shows = open ? 'item' : 'list';
}

function search() {
  if (state.item !== '') closeItem();
  setTimeout(() => { byId('search').focus(); byId('search').select(); }, state.item !== '' ? 50 : 0);
}

function step(by) {
  const at = focusedRow();
  if (state.item !== '') openBeside(by);
  else focusRow(at < 0 ? 0 : Math.min(Math.max(at + by, 0), listed.length - 1));
}

function keys(e) {
  if (e.ctrlKey || e.altKey || e.metaKey || byId('help').open) return;
  if (e.key === 'Escape') {
    if (e.target.id === 'search') e.target.blur();
    else if (state.item !== '') closeItem();
    return;
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== 'checkbox') return;
  const arrows = focusedRow() >= 0 && state.item === '' ? { ArrowDown: 1, ArrowUp: -1 } : {};
  const by = { j: 1, k: -1, ...arrows }[e.key];
  const does = by ? () => step(by) : { '/': search, '?': () => byId('help').showModal() }[e.key];
  if (!does) return;
  e.preventDefault();
  does();
}

// toItems goes to the items without a change of the address, which holds the filters.
function toItems(e) {
  if (e.target.getAttribute?.('href') !== '#items') return;
  e.preventDefault();
  byId('items').scrollIntoView();
  byId('items-title').focus({ preventScroll: true });
}

function fail(why) {
  byId('trouble').textContent = why;
  byId('trouble').hidden = false;
  byId('trouble').scrollIntoView();
}

let painting = false;
function repaint() {
  if (painting) return;
  painting = true;
  requestAnimationFrame(() => { painting = false; paint(); });
}

function listen() {
  addEventListener('hashchange', () => { if (/=|^$|^#items$/.test(location.hash) || state.item) render().catch((e) => fail(`The items cannot be shown: ${e.message}`)); });
  addEventListener('keydown', keys);
  addEventListener('click', toItems);
  addEventListener('scroll', repaint, { passive: true });
  addEventListener('resize', repaint);
}

async function begin() {
  if (!('DecompressionStream' in window)) {
    fail('This browser cannot unpack the items: it has no DecompressionStream. Chrome and Edge 80, Firefox 113, Safari 16.4 and later have it. The tables and figures above are complete.');
    return;
  }
  try {
    byId('browser').replaceChildren(el('p', { class: 'notes', role: 'status' }, 'The items are being read.'));
    await load();
    document.body.append(help());
    byId('items-title').after(el('button', { type: 'button', class: 'screen', onclick: () => byId('help').showModal() }, 'Keys and marks ( ? )'));
    await render();
    if (/=|^#items$/.test(location.hash) && state.item === '') byId('items').scrollIntoView();
    listen();
  } catch (e) {
    fail(`The items of this page cannot be read: ${e.message}`);
  }
  document.body.dataset.ready = Math.round(performance.now());
}

begin();
