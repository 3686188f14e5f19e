
'use strict';
(() => {
const root = document.documentElement;
const known = ['system', 'light', 'dark'];
let now = 'system';
try { now = localStorage.getItem('theme') || now; } catch { /* the reader's choice is not kept */ }

function set(theme) {
  now = known.includes(theme) ? theme : 'system';
  if (now === 'system') delete root.dataset.theme;
  else root.dataset.theme = now;
  document.querySelectorAll('[data-themes]').forEach((button) => {
    button.hidden = false;
    button.textContent = `Theme: ${now}`;
  });
}

set(now);
document.addEventListener('DOMContentLoaded', () => set(now));
document.addEventListener('click', (e) => {
  if (!e.target.closest?.('[data-themes]')) return;
  set(known[(known.indexOf(now) + 1) % known.length]);
  try { localStorage.setItem('theme', now); } catch { /* as above */ }
});
})();
