import { startEarly } from '../../lib/start-early.ts';

/** What a request reads for its response, once it is known what the request is about. */
export type Reads<S extends readonly unknown[], T> = (...subject: S) => Promise<T>;

/**
 * Starts reads beside those of authorization. Their failure counts only once the caller is authorized. While a refusal
 * is confirmed nothing is started: most refusals are right, and then nobody needs the results.
 */
export const startReads =
  <S extends readonly unknown[], T>(reads: Reads<S, T> | undefined, consistent: boolean) =>
  (...subject: S): Promise<T> | undefined =>
    reads === undefined || consistent ? undefined : startEarly(reads(...subject));
