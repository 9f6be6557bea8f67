const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for HTML and XML, also within quotation marks. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => entities[character] as string);
