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

// Commands name the service that sent this page.
for (const code of document.querySelectorAll('pre code')) {
  if (code.textContent.includes('https://this-host'))
    code.textContent = code.textContent.replaceAll('https://this-host', location.origin);
}

/** Token of the web console, which it keeps in the session storage of the tab. */
const readToken = () => sessionStorage.getItem('holdfast.token');

// A sign-out in a tab of the console, whose name of the channel is the same.
new BroadcastChannel('holdfast.session').addEventListener('message', ({ data }) => {
  if (data.kind === 'end' && data.token === readToken()) sessionStorage.removeItem('holdfast.token');
});

const create = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

/** Adds a form that sends the request of a command line. */
const addForm = (details) => {
  const command = details.parentElement.querySelector('code').textContent;
  const [, method, url] = /^curl -X (\w+) '([^']+)'/.exec(command);
  const [, body] = /-d '([\s\S]*)'$/.exec(command) ?? [];
  const field = (label, input) => create('label', {}, label, input);
  const parameters = [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
    create('input', { name, required: true, autocomplete: 'off', spellcheck: false }),
  );
  const query = create('input', { autocomplete: 'off', spellcheck: false, placeholder: 'page[size]=5' });
  const text = create('textarea', { rows: 8, spellcheck: false, value: body?.replaceAll("'\\''", "'") ?? '' });
  const output = create('pre', { tabIndex: 0, hidden: true });
  const status = create('p', { className: 'limits' });
  status.setAttribute('role', 'status');
  const form = create(
    'form',
    {},
    ...parameters.map((input) => field(input.name, input)),
    ...(method === 'GET' ? [field('query', query)] : []),
    ...(body === undefined ? [] : [field('body', text)]),
    create('button', {}, `Send ${method}`),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    status.textContent = 'Sending ...';
    const values = new Map(parameters.map(({ name, value }) => [name, encodeURIComponent(value)]));
    const target = new URL(url.replace(/\{(\w+)\}/g, (_, name) => values.get(name)));
    if (method === 'GET') target.search = query.value;
    try {
      const response = await fetch(target, {
        method,
        headers: {
          authorization: `Bearer ${readToken()}`,
          ...(body !== undefined && { 'content-type': 'application/vnd.api+json' }),
        },
        ...(body !== undefined && { body: text.value }),
      });
      const content = await response.text();
      status.textContent = `${response.status} ${response.statusText}`;
      output.textContent = /json/.test(response.headers.get('content-type'))
        ? JSON.stringify(JSON.parse(content), null, 2)
        : content;
      show(output, content !== '');
    } catch (error) {
      status.textContent = `The request failed: ${error.message}`;
    }
  });
  details.append(form, status, output);
};

/** Says what a reader needs before a request can be sent from the page. */
const addHint = (details) => {
  const link = create('a', { href: '/app/sign-in' }, 'Sign in to the web console');
  details.append(create('p', {}, link, ' in this tab to send the request from here.'));
};

/** Shows an organization of the reader in place of the one in the introduction. */
const showOwnOrganization = async () => {
  const response = await fetch('/api/v2/organizations?page[size]=1', {
    headers: { authorization: `Bearer ${readToken()}` },
  });
  const [organization] = response.ok ? (await response.json()).data : [];
  const code = document.querySelector('main pre code');
  if (organization !== undefined)
    code.textContent = code.textContent.replace('/acme/', `/${encodeURIComponent(organization.id)}/`);
};

const isSignedIn = readToken() !== null;
for (const details of document.querySelectorAll('.request')) {
  details.addEventListener('toggle', () => (isSignedIn ? addForm : addHint)(details), { once: true });
  show(details, true);
}
if (isSignedIn) {
  show(document.getElementById('session'), true);
  // Without a response, the introduction keeps its example.
  showOwnOrganization().catch(() => undefined);
}
