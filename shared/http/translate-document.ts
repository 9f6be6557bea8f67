import type { Vocabulary } from '../domain/vocabulary.ts';
import type { Document, Resource } from '../jsonapi/document.ts';

/** Headers of a request that the vocabulary of its response depends on (HTTP-33), for `Vary`. */
export const VOCABULARY_HEADERS = 'user-agent, holdfast-vocabulary';

const isVariable = ({ type }: Resource): boolean => type === 'vars' || type === 'variable-keys';

const translate = (resource: Resource): Resource =>
  isVariable(resource) && resource.attributes['category'] === 'infra'
    ? { ...resource, attributes: { ...resource.attributes, category: 'terraform' } }
    : resource;

const listOf = (data: Document['data']): readonly Resource[] => [data].flat();

/** Tells whether a document has a value that differs between vocabularies: the category of a variable. */
export const dependsOnVocabulary = ({ data, included = [] }: Document): boolean =>
  listOf(data).some(isVariable) || included.some(isVariable);

/**
 * Translates a document, which operations build in the vocabulary `infra`, to the vocabulary of its request (HTTP-33).
 * @example
 * translateDocument({ data: variableResource(variable, workspace) }, 'terraform'); // the category is `terraform`
 */
export const translateDocument = (document: Document, vocabulary: Vocabulary): Document => {
  if (vocabulary === 'infra' || !dependsOnVocabulary(document)) return document;
  const { data, included } = document;
  return {
    ...document,
    data: Array.isArray(data) ? data.map(translate) : translate(data as Resource),
    ...(included && { included: included.map(translate) }),
  };
};
