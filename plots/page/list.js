
// List: the filters' form, and the items that pass them. Only the rows in sight are on the page, so that a list may be long.

let listed = []; // the items as filtered
let drawn = new Map(); // by place in listed, the rows that are on the page
let armsOpen = false; // the choice of arms is unfolded
const widest = 12; // series that have columns of their own

// go changes the state, and with it the address.
function go(changes) { location.hash = hashOf(changes); }

const closeItem = () => go({ item: '', s: '', unfold: '' });
const clearAll = () => go(Object.fromEntries(Object.keys(state).map((k) => [k, ''])));

// openBeside opens the item so many places after the one that is open, under the same settings.
function openBeside(by) {
  const n = listed.findIndex((x) => ix.items[x.i].i === state.item);
  const to = listed[n < 0 ? 0 : n + by];
  if (to) go({ item: ix.items[to.i].i });
}

const option = (now) => ([value, name, title]) => el('option', { value, title, selected: now === value }, name);

// select makes a choice; options are [value, name, title], or {label, options} for a group of them. The value now is chosen.
function select(key, label, options, change = (value) => go({ [key]: value }), now = state[key] || '') {
  return options.length < 2 ? null : el('label', null, label, el('select', { 'data-key': key, onchange: (e) => change(e.target.value) },
    options.map((o) => (o.label ? el('optgroup', { label: o.label }, o.options.map(option(now))) : option(now)(o)))));
}

const any = (values) => (values.length < 2 ? [] : [['', 'any'], ...values.map((v) => [String(v), String(v)])]);
const anyGroup = (name) => any(ix.by.find((b) => b.n === name)?.g || []);

// featureSelect adds a feature to those asked for.
function featureSelect() {
  const features = ix.by.filter((b) => b.n !== 'hardness' && b.n !== 'difficulty');
  const add = (f) => go({ feature: [...featureList().filter((g) => g.split(':')[0] !== f.split(':')[0]), f].join(',') });
  return select('add', 'feature of the gold', features.length ? [['', 'any'], ...features.map((b) => ({ label: `${b.n}: ${b.t}`, options: b.g.map((g) => [`${b.n}:${g}`, `${b.n} ${g}`]) }))] : [], add);
}

function errorSelect() {
  return select('error', 'suggested error category', ix.errors.length ? [['', 'any'],
    ...ix.errors.map((t) => ({ label: t.t, options: t.c.map(([id, shows]) => [`${t.n}:${id}`, id, shows]) }))] : []);
}

// armChoice chooses the series that count, and that have columns.
function armChoice() {
  if (series.length < 2) return null;
  const chosen = new Set(chosenSeries());
  const set = (list) => go({ arms: list.length === series.length ? '' : list.join('.') || 'none' });
  const change = (n) => () => { if (!chosen.delete(n)) chosen.add(n); set([...chosen].sort((x, y) => x - y)); };
  const button = (name, list) => el('button', { type: 'button', 'data-key': 'arms ' + name, onclick: () => set(list) }, name);
  return el('details', { class: 'arms', open: armsOpen, ontoggle: (e) => { armsOpen = e.target.open; } },
    el('summary', null, `Arms: ${chosen.size === series.length ? 'all' : chosen.size} of ${series.length}`),
    el('fieldset', { class: 'chips' }, el('legend', null, 'Arms that count and have a column'), button('All', [...series.keys()]), button('None', []),
      series.map((s, n) => el('label', null, el('input', { type: 'checkbox', checked: chosen.has(n), 'data-key': 'arm ' + n, onchange: change(n) }), ' ', s.title))));
}

const severalAnswers = () => ix.settings.length > 1; // of an item
const outcomeName = (k) => (severalAnswers() ? outcomes[k][0] : outcomes[k][0].replace('all ', ''));

function filters() {
  const search = el('input', { type: 'search', id: 'search', value: state.q, placeholder: 'question, evidence, SQL, id', oninput: (e) => type(e.target.value) });
  const several = { differ: series.length, seeds: seeds().length };
  const outcome = [['', 'any'], ...Object.keys(outcomes).filter((k) => (several[k] ?? 2) > 1).map((k) => [k, outcomeName(k)])];
  const flip = series.length < 2 ? [] : [['', 'all items'], ['ab', 'A right, B wrong'], ['ba', 'A wrong, B right'], ['both', 'A and B differ']];
  const points = ix.axes.map((axis, i) => select('p' + i, axis, any([...new Set(ix.settings.map((s) => s.p[i]))])));
  const side = (key, n) => (state.flip === '' ? null : select(key, key.toUpperCase(), series.map((s, i) => [String(i), s.title]), undefined, state[key] || String(n)));
  const known = (k) => ix.by.some((b) => b.n === k) || !['hardness', 'difficulty'].includes(k);
  const sort = [['', 'as in the dataset'], ...Object.entries(orders).filter(([k]) => known(k) && (severalAnswers() || k !== 'differ')).map(([k, [name]]) => [k, name])];
  return [el('form', { class: 'filters', role: 'search', 'aria-label': 'Filters', onsubmit: (e) => e.preventDefault() },
    el('label', null, 'search ( / )', search), select('outcome', 'answers', outcome), select('status', 'status', any([...new Set(ix.rows.t)].map((t) => ix.statuses[t]))), errorSelect(),
    select('hardness', 'hardness', anyGroup('hardness')), select('difficulty', 'difficulty', anyGroup('difficulty')), featureSelect(), select('db', 'database', any(ix.dbs)),
    points, select('seed', 'seed', any(seeds())), select('flip', 'flips', flip), side('a', 0), side('b', 1), select('sort', 'order', sort)), armChoice()];
}

let typing;
function type(text) {
  clearTimeout(typing);
  typing = setTimeout(() => { history.replaceState(null, '', hashOf({ q: text })); readState(); fillList(); }, 120);
}

// asked shows each filter that is set as a button that takes it away.
function asked() {
  const off = (name, changes) => el('button', { type: 'button', 'aria-label': `without ${name}`, 'data-key': 'off ' + name, onclick: () => go(changes) }, name, ' ×');
  const out = featureList().map((f) => off(f.replace(':', ' '), { feature: featureList().filter((g) => g !== f).join(',') }));
  const names = { q: 'search', db: 'database', error: 'category', outcome: 'answers', flip: 'flips' };
  const values = { outcome: outcomes[state.outcome] && outcomeName(state.outcome), flip: { ab: 'A right, B wrong', ba: 'A wrong, B right', both: 'A and B differ' }[state.flip] };
  for (const k of ['q', 'outcome', 'status', 'error', 'hardness', 'difficulty', 'db', ...ix.axes.map((_, i) => 'p' + i), 'seed', 'flip']) {
    const name = names[k] || (/^p\d/.test(k) ? ix.axes[k.slice(1)] : k);
    if (state[k]) out.push(off(`${name}: ${brief(values[k] || state[k], 80)}`, k === 'flip' ? { flip: '', a: '', b: '' } : { [k]: '' }));
  }
  if (state.arms !== '') out.push(off(`${chosenSeries().length} of ${series.length} arms`, { arms: '' }));
  return out.length ? el('div', { class: 'asked', role: 'group', 'aria-label': 'Filters that are set' }, out, el('button', { type: 'button', 'data-key': 'clear', onclick: clearAll }, 'Clear all')) : '';
}

// columns are the series that have a column in the list.
function columns() {
  const looked = passing();
  const shown = chosenSeries().filter((n) => [...series[n].settings].some((s) => looked[s]));
  return shown.length > widest ? [] : shown;
}

// cellOf sums up an item's rows of one series: a mark, or how many of several seeds are right.
function cellOf(rows, n) {
  const mine = rows.filter((r) => seriesOf[ix.rows.s[r]] === n);
  if (mine.length === 1) return mark(statusOf(mine[0]), `${fullName(ix.rows.s[mine[0]])}: ${statusOf(mine[0])}`);
  const right = mine.filter(isRight).length;
  const as = right === mine.length ? 'correct' : right ? 'gold-error' : 'wrong';
  return mine.length ? mark(as, `${series[n].name}: ${right} of ${mine.length} right`, `${right}/${mine.length}`) : el('span');
}

function entry(n, heads) {
  const x = listed[n], t = ix.items[x.i];
  const marks = heads.length ? heads.map((s) => cellOf(x.rows, s)) : el('span', { class: 'notes' }, `${x.right} of ${x.rows.length} right`);
  const link = el('a', { href: hashOf({ item: t.i, s: '' }), 'data-n': String(n) }, el('span', { class: 'id' }, t.i.split('/').pop()), el('span', { class: 'marks' }, marks),
    el('span', { class: 'q', dir: 'auto' }, brief(t.q, 400)));
  return el('li', { 'aria-setsize': String(listed.length), 'aria-posinset': String(n + 1) }, link);
}

function headOf(heads) {
  return el('div', { class: 'heads', 'aria-hidden': 'true' }, el('span', null, 'item'),
    el('span', { class: 'marks' }, heads.length ? heads.map((n) => el('span', { title: series[n].title }, brief(series[n].short, 60))) : 'answers'), el('span', { class: 'q' }, 'question'));
}

function fillList() {
  listed = filtered();
  const heads = columns();
  const answers = listed.reduce((n, x) => n + x.rows.length, 0), right = listed.reduce((n, x) => n + x.right, 0), scored = listed.reduce((n, x) => n + x.scored, 0);
  const note = `${listed.length} of ${many(ix.items.length, 'item')}; of their ${many(answers, 'answer')} ${right} are right${scored < answers ? `, ${answers - scored} are not scored` : ''}.`;
  const list = el('ol', { class: 'list', role: 'list', id: 'rows', 'aria-label': 'Items' });
  const few = !heads.length && series.length > widest ? el('p', { class: 'notes' }, `Choose up to ${widest} arms to see a column for each.`) : '';
  drawn = new Map();
  byId('list').replaceChildren(asked(), el('p', { class: 'notes', role: 'status', id: 'count' }, note), few, listed.length ? headOf(heads) : '', list);
  byId('list').style.setProperty('--columns', heads.length || 4);
  byId('list').style.setProperty('--column', heads.length && seeds().length > 1 ? '2.5rem' : '1.8rem');
  list.heads = heads;
  paint();
}

// rowHeight is the height of one row of the list in px, the same for all.
const rowHeight = () => { const row = byId('rows').firstElementChild; return row ? row.offsetHeight : 32; };

// paint brings the rows in sight onto the page, and takes the others away but for the one with the focus.
function paint() {
  const list = byId('rows');
  if (!list || !listed.length || byId('items').offsetParent === null) return;
  if (!drawn.size) { drawn.set(0, list.appendChild(entry(0, list.heads))); }
  const h = rowHeight(), top = list.getBoundingClientRect().top, spare = 12;
  const from = Math.max(0, Math.floor(-top / h) - spare), to = Math.min(listed.length, Math.ceil((innerHeight - top) / h) + spare);
  list.style.height = `${listed.length * h}px`;
  let after = null;
  drawn.forEach((row, n) => {
    if (n >= from && n < to) return;
    if (!row.contains(document.activeElement)) { row.remove(); drawn.delete(n); } else if (n >= to) after = row;
  });
  for (let n = to - 1; n >= from; n--) {
    if (!drawn.has(n)) drawn.set(n, list.insertBefore(entry(n, list.heads), after));
    after = drawn.get(n);
    after.style.top = `${n * h}px`;
  }
}

// focusRow brings a row of the list into sight and gives it the focus.
function focusRow(n) {
  if (!listed[n]) return;
  const h = rowHeight(), top = byId('rows').getBoundingClientRect().top + n * h, head = byId('list').querySelector('.heads').offsetHeight;
  if (top < head) scrollBy(0, top - head);
  else if (top + h > innerHeight) scrollBy(0, top + h - innerHeight);
  paint();
  drawn.get(n)?.firstElementChild.focus({ preventScroll: true });
}

// focusedRow is the place in the list of the row with the focus, -1 for none.
const focusedRow = () => Number(document.activeElement?.dataset?.n ?? -1);
