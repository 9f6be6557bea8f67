import { DomainError } from '../domain/errors.ts';
import { synonyms } from '../domain/vocabulary.ts';
import { humanize } from '../schemas/error-messages.ts';

/**
 * Spells an error about an attribute with the name that the request used (HTTP-34), in its pointer and at the beginning
 * of its detail.
 * @param replacedNames names in the body that were replaced by the names that operations know.
 */
export const spelledAsSent = (error: unknown, replacedNames: readonly string[] = []): unknown => {
  if (!(error instanceof DomainError) || !error.source || !('pointer' in error.source)) return error;
  const { code, detail, source, cause } = error;
  const sent = replacedNames.find((name) => source.pointer.endsWith(`/${synonyms[name]}`));
  if (sent === undefined) return error;
  const known = synonyms[sent] ?? '';
  return new DomainError(code, detail?.replace(new RegExp(`^${humanize(known)}`), humanize(sent)), {
    source: { pointer: source.pointer.slice(0, -known.length) + sent },
    cause,
  });
};
