/** Text that is already HTML and is not escaped again. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | undefined | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const textOf = (part: Part): string => {
  if (part === false || part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(textOf).join('');
  return String(part).replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? '');
};

/** Builds HTML from a template. Inserted text is escaped, inserted `Html` is not. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.reduce((text, string, index) => text + textOf(parts[index - 1]) + string));

/** Joins parts with a separator. */
export const joined = (parts: readonly Part[], between: string): Html =>
  html`${parts.map((part, index) => (index === 0 ? part : [between, part]))}`;

/** Renders one line of Markdown with `code` and [links](…). */
export const line = (text: string): Html =>
  new Html(
    textOf(text)
      .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      .replaceAll(/\[([^\]]+)\]\((https:[^)\s]+)\)/g, '<a href="$2">$1</a>'),
  );

/** Renders Markdown text as paragraphs. Blank lines separate them. */
export const paragraphs = (text: string | undefined): Html =>
  html`${(text ?? '')
    .split('\n\n')
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => html`<p>${line(paragraph)}</p>`)}`;
