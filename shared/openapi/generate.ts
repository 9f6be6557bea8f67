import { editionNames } from '../domain/editions.ts';
import { writeGenerated } from '../write-generated.ts';
import { documentOf } from './document.ts';

/** Writes the document of each edition into `compiled/`, for the linter. */
const directory = new URL('./compiled/', import.meta.url);

export const generate = (): void =>
  writeGenerated(
    directory,
    Object.fromEntries(
      editionNames.map((edition) => [`${edition}.json`, JSON.stringify(documentOf(edition), null, 2)]),
    ),
  );

if (import.meta.main) generate();
