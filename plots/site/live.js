'use strict';
(() => {
const $ = (id) => document.getElementById(id);
const box = $('live');
if (!box) return;
const holder = $('site-data');
const only = holder ? JSON.parse(holder.textContent).run : undefined;
let token;

// enter takes the token from the address, or for the ticket in it, and leaves neither there.
async function enter() {
  const given = new URLSearchParams(location.hash.slice(1));
  const ticket = given.get('ticket');
  if (ticket || given.get('token')) history.replaceState(null, '', location.pathname + location.search);
  if (given.get('token')) sessionStorage.setItem('token', given.get('token'));
  if (ticket) {
    const r = await fetch('/do/enter', { method: 'POST', headers: { 'X-Assay-Ticket': ticket } });
    if (r.ok) sessionStorage.setItem('token', await r.text());
  }
  token = sessionStorage.getItem('token');
}

const up = only ? '../../' : '';
let first;

const make = (name, text, to) => {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (to) to.append(e);
  return e;
};

async function act(what, run, button) {
  button.disabled = true;
  const r = await fetch(`/do/${what}?${new URLSearchParams({ run })}`, { method: 'POST', headers: { 'X-Assay-Token': token } });
  $('live-note').textContent = r.ok ? `${button.textContent}: asked for` : await r.text();
}

function card(r) {
  const e = make('div', undefined, $('live-runs'));
  e.className = 'going';
  const link = make('a', r.name, make('h3', undefined, e));
  link.href = `${up}runs/${r.folder}/index.html`;
  link.dataset.key = `page ${r.folder}`;
  const bar = make('progress', undefined, e);
  bar.max = r.all || 1;
  bar.value = r.done;
  bar.setAttribute('aria-label', `${r.done} of ${r.all} answers`);
  make('p', `${r.done} of ${r.all} answers, ${r.right} right, ${r.failed} failed; paid: ${r.paid || 'nothing'}; written ${Math.round(r.ago)} s ago${r.maker ? ', being made' : ''}`, e).className = 'notes';
  if (r.told) make('pre', r.told, e);
  const list = make('ul', undefined, e);
  r.news.forEach((n) => {
    const li = make('li', undefined, list);
    const mark = make('span', n.status, li);
    mark.className = `mark ${n.status}`;
    li.append(` ${n.item}, ${n.arm}: `);
    make('code', n.sql || '-', li);
  });
  if (!token) return;
  const button = make('button', r.maker ? 'Stop' : 'Go on', e);
  button.type = 'button';
  button.dataset.key = `act ${r.folder}`;
  button.addEventListener('click', () => act(r.maker ? 'stop' : 'go-on', r.folder, button));
}

async function look() {
  try {
    const r = await fetch('/live.json', { cache: 'no-store' });
    if (!r.ok) throw new Error(await r.text());
    const state = await r.json();
    const runs = state.runs.filter((x) => !only || x.folder === only);
    box.hidden = runs.length === 0 && state.list === (first ?? state.list);
    const { key } = document.activeElement?.dataset || {};
    $('live-runs').replaceChildren();
    runs.forEach(card);
    if (key) document.querySelector(`#live-runs [data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true }); // as before the news
    if (first !== undefined && first !== state.list) {
      const note = $('live-note');
      note.replaceChildren('The list of runs has changed. ');
      const button = make('button', 'Show it', note);
      button.type = 'button';
      button.addEventListener('click', () => location.reload());
    } else if (!token && runs.length) {
      $('live-note').textContent = 'To stop a run or to go on with one, open the address that assay serve printed.';
    }
    first ??= state.list;
  } catch (e) {
    box.hidden = false;
    $('live-note').textContent = `No news: ${e.message}`;
  }
  setTimeout(look, 2000);
}
enter().finally(look);
})();
