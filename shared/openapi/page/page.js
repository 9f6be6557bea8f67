// Searches the page: what has all the words stays, and the number of hits is announced.
const box = document.getElementById('search');
const query = document.getElementById('query');
const found = document.getElementById('found');
const nothing = document.getElementById('nothing');
const chapters = [...document.querySelectorAll('main .chapter')];
const menus = [...document.querySelectorAll('nav section')];
const links = new Map(
  [...document.querySelectorAll('nav li')].map((item) => [item.firstElementChild.hash.slice(1), item]),
);
const entries = [...document.querySelectorAll('.entry')].map((element) => ({
  element,
  link: links.get(element.id),
  words: `${element.id} ${element.textContent}`.toLowerCase(),
}));

const show = (element, isShown) => {
  element.hidden = !isShown;
};

const search = () => {
  const wanted = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  let hits = 0;
  for (const { element, link, words } of entries) {
    const isHit = wanted.every((word) => words.includes(word));
    hits += isHit ? 1 : 0;
    show(element, isHit);
    show(link, isHit);
  }
  const isSearch = wanted.length > 0;
  for (const part of [...chapters, ...menus]) {
    const all = [...part.querySelectorAll('.entry, li')];
    show(part, all.length === 0 ? !isSearch : all.some(({ hidden }) => !hidden));
  }
  show(nothing, hits === 0);
  found.textContent = isSearch ? `${hits} of ${entries.length}` : '';
};

/** A link to what the search hides ends the search. */
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.closest('[hidden]')) {
    query.value = '';
    search();
    target.scrollIntoView();
  }
};

query.addEventListener('input', search);
addEventListener('hashchange', reveal);
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && query.value !== '') {
    query.value = '';
    search();
  } else if (event.key === '/' && document.activeElement !== query && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    query.focus();
  }
});
show(box, true);
// A browser that comes back to the page may have kept the words.
search();
