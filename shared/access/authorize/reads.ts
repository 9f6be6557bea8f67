import { readAhead } from '../../lib/read-ahead.ts';

/**
 * Reads the data for the response, once the ids of the requested resource are known. The ids of something that does not
 * exist are empty. The first round must send the same reads for every subject (PERM-21).
 */
export type Reads<S extends readonly unknown[], T> = (...subject: S) => Promise<T>;

/** Results that are being read, and the function that lets further rounds of reads be sent. */
export type StartedReads<T> = ReturnType<typeof readAhead<T>>;

/**
 * Starts the reads for the response in parallel with the reads of the authorization. An error of these reads is thrown only
 * if the caller is authorized. Nothing is started while a rejection is confirmed, because most rejections are correct.
 */
export const startReads =
  <S extends readonly unknown[], T>(reads: Reads<S, T> | undefined, consistent: boolean) =>
  (...subject: S): StartedReads<T> | undefined =>
    reads === undefined || consistent ? undefined : readAhead(() => reads(...subject));

/** Returns the results of reads, which are started now unless they were before. */
export const finishReads = <T>(started: StartedReads<T> | undefined, read: () => Promise<T> | undefined) => {
  started?.allow();
  return (started?.results ?? read()) as Promise<T>;
};
