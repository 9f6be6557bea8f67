import { DomainError } from '../../domain/errors.ts';
import { type Vocabulary, vocabularies } from '../../domain/vocabulary.ts';
import { readVocabulary } from '../../runtime/environment.ts';
import type { HttpEvent, HttpRequest } from '../request.ts';

/** Parts of the user agents of clients that know only the names of the API that they were written for. */
const TERRAFORM_CLIENTS = /tfe|terraform|tofu|tfctl|tfm|tfx|tfci|terrasnek/i;

/**
 * Chooses the vocabulary of a response: the requested one, else the one of a known client, else the default of the deployment.
 * @throws DomainError 400 for an unknown vocabulary in the header.
 */
const vocabularyOf = ({ headers }: HttpEvent, otherwise: Vocabulary): Vocabulary => {
  const requested = headers['holdfast-vocabulary'];
  if (requested === undefined) return TERRAFORM_CLIENTS.test(headers['user-agent'] ?? '') ? 'terraform' : otherwise;
  const known = vocabularies.find((vocabulary) => vocabulary === requested);
  if (known !== undefined) return known;
  throw new DomainError('bad-request', `The header Holdfast-Vocabulary must be one of: ${vocabularies.join(', ')}`);
};

/**
 * Decides the vocabulary of the response (HTTP-33).
 * @param otherwise vocabulary of the deployment.
 */
export const chooseVocabulary =
  (otherwise = readVocabulary()) =>
  ({ event, internal }: HttpRequest): void => {
    internal.vocabulary = vocabularyOf(event, otherwise);
  };
