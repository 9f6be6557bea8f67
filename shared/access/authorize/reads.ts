import { startEarly } from '../../lib/start-early.ts';

/** Reads the data for the response, once the ids of the requested resource are known. */
export type Reads<S extends readonly unknown[], T> = (...subject: S) => Promise<T>;

/**
 * Starts the reads for the response in parallel with the reads of the authorization. An error of these reads is thrown only
 * if the caller is authorized. Nothing is started while a rejection is confirmed, because most rejections are correct.
 */
export const startReads =
  <S extends readonly unknown[], T>(reads: Reads<S, T> | undefined, consistent: boolean) =>
  (...subject: S): Promise<T> | undefined =>
    reads === undefined || consistent ? undefined : startEarly(reads(...subject));
