import { escapeMarkup } from '../common/escape-markup.ts';
import type { People } from './people.ts';

const style = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem }
button { display: block; width: 100%; margin: .5rem 0; padding: .6rem; font: inherit; text-align: left; cursor: pointer }
@media (prefers-color-scheme: dark) { :root { color-scheme: dark } }`;

/** Builds a page of the embedded identity provider. @param content HTML. */
const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeMarkup(title)}</h1>
${content}
</body>
</html>
`;

const describeGroups = (groups: readonly string[] = []): string =>
  groups.length === 0 ? 'in no group' : `in the group ${groups.join(', ')}`;

/** Builds the page on which one picks the person to sign in as. */
export const signInPage = (people: People): string => {
  const buttons = Object.entries(people).map(
    ([sub, { name, groups }]) =>
      `<button name="person" value="${escapeMarkup(sub)}"><b>${escapeMarkup(name)}</b>, ${escapeMarkup(describeGroups(groups))}</button>`,
  );
  return page(
    'Sign in as',
    `<form method="post">
${buttons.join('\n')}
<button name="person" value="">Cancel</button>
</form>
<p>This identity provider is part of the local service. It is for trying things out, and has no passwords.</p>`,
  );
};

/** Builds the page that lets one confirm the sign-out. @param form HTML of the form, whose id is `op.logoutForm`. */
export const signOutPage = (form: string): string =>
  page(
    'Sign out?',
    `${form}
<button form="op.logoutForm" name="logout" value="yes">Sign out</button>
<button form="op.logoutForm">Stay signed in</button>`,
  );

/** Builds a page with one text. */
export const textPage = (title: string, text: string): string => page(title, `<p>${escapeMarkup(text)}</p>`);
