// List: the filters, the items that pass them, the keyboard, and the beginning.

let listed = []; // the items as filtered
const atOnce = 400; // items shown before "show all" is pressed

// go changes the state, and with it the address.
function go(changes) { location.hash = hashOf(changes); }

const closeItem = () => go({ item: '', s: '', unfold: '' });

// openBeside opens the item so many places after the one that is open, under the same settings.
function openBeside(by) {
  const n = listed.findIndex((x) => ix.items[x.i].i === state.item);
  const to = listed[n < 0 ? 0 : n + by];
  if (to) go({ item: ix.items[to.i].i });
}

function select(key, label, options) {
  const change = (e) => go({ [key]: e.target.value });
  return options.length < 2 ? null : el('label', null, label, el('select', { 'data-key': key, onchange: change },
    options.map(([value, name]) => el('option', { value, selected: (state[key] || '') === value }, name))));
}

const any = (values, name) => (values.length < 2 ? [] : [['', name || 'any'], ...values.map((v) => [String(v), String(v)])]);

function filters() {
  const search = el('input', { type: 'search', id: 'search', value: state.q, placeholder: 'question, evidence, SQL, id', oninput: (e) => type(e.target.value) });
  const labels = ix.arms.filter(([name]) => series.some((s) => s.name === name || s.name.startsWith(name + ',')));
  const sides = series.map((s, i) => [String(i), s.name]);
  const flip = series.length < 2 ? [] : [['', 'all items'], ['ab', 'A right, B wrong'], ['ba', 'A wrong, B right'], ['both', 'A and B differ']];
  const points = ix.axes.map((axis, i) => select('p' + i, axis, any([...new Set(ix.settings.map((s) => s.p[i]))])));
  const side = (key, label, n) => state.flip === '' ? null : el('label', null, label, el('select', { 'data-key': key, onchange: (e) => go({ [key]: e.target.value }) },
    sides.map(([v, name]) => el('option', { value: v, selected: (state[key] || n) === v }, name))));
  return el('form', { class: 'filters', role: 'search', onsubmit: (e) => e.preventDefault() }, [
    el('label', null, 'search ( / )', search),
    select('arm', 'arm', labels.length < 2 ? [] : [['', 'any'], ...labels.map(([n, l]) => [n, n === l ? n : `${n} (${l})`])]), ...points, select('seed', 'seed', any(seeds())),
    select('status', 'status', any([...new Set(ix.rows.t)].map((t) => ix.statuses[t]))), select('level', 'hardness', any(ix.levels)), select('db', 'database', any(ix.dbs)),
    select('flip', 'flips', flip), side('a', 'A', '0'), side('b', 'B', '1'),
    select('sort', 'order', [['', 'as in the dataset'], ['wrong', 'least right first'], ['right', 'most right first'], ['level', 'hardness'], ['db', 'database'], ['id', 'id']]),
    el('button', { type: 'button', onclick: () => go(Object.fromEntries(Object.keys(state).map((k) => [k, '']))) }, 'Clear')]);
}

let typing;
function type(text) {
  clearTimeout(typing);
  typing = setTimeout(() => { history.replaceState(null, '', hashOf({ q: text })); readState(); fillList(); }, 120);
}

function entry(x) {
  const t = ix.items[x.i];
  const marks = x.rows.length <= 10 ? x.rows.map((r) => mark(statusOf(r), `${fullName(ix.rows.s[r])}: ${statusOf(r)}`)) :
    [el('span', { class: 'notes' }, `${x.rows.filter(isRight).length} of ${x.rows.length} right`)];
  return el('li', null, el('a', { href: hashOf({ item: t.i, s: '' }) }, el('span', { class: 'id' }, t.i.split('/').pop()), el('span', null, marks), el('span', { class: 'q' }, t.q)));
}

function fillList(all) {
  listed = filtered();
  const rows = all ? listed : listed.slice(0, atOnce);
  const answers = listed.flatMap((x) => x.rows);
  const note = `${listed.length} of ${many(ix.items.length, 'item')}; of their ${many(answers.length, 'answer')} ${answers.filter(isRight).length} are right.`;
  byId('list').replaceChildren(el('p', { class: 'notes', role: 'status' }, note), el('ol', { class: 'list' }, rows.map(entry)),
    listed.length > rows.length ? el('button', { type: 'button', onclick: () => fillList(true) }, `Show all ${listed.length}`) : '');
}

const legend = () => el('div', { class: 'notes help' },
  el('p', null, Object.entries(letters).filter(([s]) => ix.statuses.includes(s)).flatMap(([s]) => [mark(s, s), ` ${s}  `])),
  el('p', null, 'Keys: ', el('kbd', null, 'j'), ' and ', el('kbd', null, 'k'), ', or the arrows in the list, go down and up; ', el('kbd', null, 'Enter'), ' opens an item, in which j and k go to the next and the previous; ',
    el('kbd', null, 'Esc'), ' closes it; ', el('kbd', null, '/'), ' searches. The address holds the filters and the open item: it is a link to them.'));

// render brings the page to the state of the address.
async function render() {
  const was = state.item;
  readState();
  const open = state.item !== '';
  const { key, setting } = document.activeElement.dataset;
  byId('browser').replaceChildren(filters(), el('div', { id: 'list' }), legend());
  fillList();
  if (open) await showItem();
  document.body.classList.toggle('open', open);
  byId('item').hidden = !open;
  if (open && was !== state.item) {
    scrollTo(0, 0);
    byId('item').querySelector('h2')?.focus({ preventScroll: true });
  } else if (!open && was !== '') {
    const n = listed.findIndex((x) => ix.items[x.i].i === was);
    byId('list').querySelectorAll('a')[n]?.focus();
  }
  document.querySelector(key ? `[data-key="${key}"]` : `input[data-setting="${setting}"]`)?.focus();
  document.body.dataset.shows = open ? 'item' : 'list';
}

function keys(e) {
  if (e.ctrlKey || e.altKey || e.metaKey) return;
  const open = state.item !== '';
  if (e.key === 'Escape') {
    if (e.target.id === 'search') e.target.blur();
    else if (open) closeItem();
    return;
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== 'checkbox') return;
  const links = [...byId('list').querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  const by = { j: 1, k: -1, ArrowDown: at < 0 || open ? 0 : 1, ArrowUp: at < 0 || open ? 0 : -1 }[e.key];
  if (by) {
    e.preventDefault();
    if (open) openBeside(by);
    else links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  } else if (e.key === '/') {
    e.preventDefault();
    if (open) closeItem();
    setTimeout(() => { byId('search').focus(); byId('search').select(); }, open ? 50 : 0);
  }
}

function fail(why) {
  byId('trouble').textContent = why;
  byId('trouble').hidden = false;
  byId('trouble').scrollIntoView();
}

async function begin() {
  if (!('DecompressionStream' in window)) {
    fail('This browser cannot unpack the items: it has no DecompressionStream. Chrome and Edge 80, Firefox 113, Safari 16.4 and later have it. The tables and figures above are complete.');
    return;
  }
  try {
    await load();
    await render();
    if (/=/.test(location.hash) && state.item === '') byId('items').scrollIntoView();
    addEventListener('hashchange', () => { if (/=|^$|^#items$/.test(location.hash) || state.item) render().catch((e) => fail(`The items cannot be shown: ${e.message}`)); });
    addEventListener('keydown', keys);
  } catch (e) {
    fail(`The items of this page cannot be read: ${e.message}`);
  }
  document.body.dataset.ready = Math.round(performance.now());
}

begin();
