/**
 * Vocabularies of the API (HTTP-33): `infra` has the names of this service, `terraform` the names of the API that existing
 * clients were written for.
 */
export const vocabularies = ['infra', 'terraform'] as const;
export type Vocabulary = (typeof vocabularies)[number];

/** Other names of attributes, which requests may use and responses carry too (HTTP-34). */
export const synonyms: Readonly<Record<string, string>> = {
  'terraform-version': 'infra-version',
  'github-app-installation-id': 'app-installation-id',
};
