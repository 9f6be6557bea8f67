import { downloadState } from '../../../shared/client/state-versions.ts';
import { Failure } from '../failure.ts';
import { digestOf, digestSource, withRestarts } from './download.ts';
import type { OpenImport } from './open-import.ts';
import type { SourceVersion } from './source.ts';

/** SHA-256 of both sides, as far as they were downloaded, and a sentence about their difference. */
interface BytesComparison {
  readonly source?: string;
  readonly target?: string;
  readonly difference?: string;
}

/** Downloads the bytes of a state version from both sides, and compares them. @param id of the version of the target. */
export const compareBytes = async (
  { invocation: { api }, source, io }: OpenImport,
  version: SourceVersion,
  id: string,
): Promise<BytesComparison> => {
  try {
    const atSource = await digestSource({ io, source }, version);
    const atTarget = await withRestarts(io, () => digestOf(api.download(downloadState(id))));
    const difference = `The bytes differ: SHA-256 ${atSource} at the source, ${atTarget} at the target.`;
    return { source: atSource, target: atTarget, ...(atSource !== atTarget && { difference }) };
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== 'partial') throw error;
    return { difference: error.message };
  }
};
