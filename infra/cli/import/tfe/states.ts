import { createHash } from 'node:crypto';
import { apiRequest } from '../../../../shared/client/request.ts';
import { downloadState, showCurrentState, showStateVersion } from '../../../../shared/client/state-versions.ts';
import { Failure } from '../../failure.ts';
import type { Io } from '../../io.ts';
import type { SourceVersion } from '../source.ts';
import type { Connection } from './connection.ts';
import { readByName } from './locks.ts';

/** Largest state that is sent in the request that creates its version. Larger ones are uploaded after it. */
const LARGEST_INLINE = 3 * 2 ** 20;
/** Readings of a version until its content was read by the server. */
const READINGS = 60;

/** Opens the content of a state version. */
async function* open({ address: { host }, api, organization, downloadUrl }: Connection, id: string) {
  if ((await organization()).isHoldfast) return yield* api.download(downloadState(id));
  const { document } = await api.send(showStateVersion(id));
  const url = document.data.attributes['hosted-state-download-url'];
  if (!url) throw new Failure('notFound', `${host} has no content of the state version ${id}.`);
  return yield* downloadUrl(url);
}

/** Yields the content of a state version. @throws Failure if it does not arrive as the source describes it. */
export async function* downloadVersion(connection: Connection, version: SourceVersion): AsyncGenerator<Uint8Array> {
  const { id } = version.origin;
  const hash = createHash('md5');
  let size = 0;
  for await (const part of open(connection, id)) {
    size += part.length;
    hash.update(part);
    yield part;
  }
  const { host } = connection.address;
  if (version.size != null && size !== version.size) {
    throw new Failure('failed', `The content of ${id} has ${size} bytes, and ${host} says ${version.size}.`);
  }
  const md5 = hash.digest('hex');
  if (version.md5 !== undefined && md5 !== version.md5) {
    throw new Failure('failed', `The content of ${id} has the MD5 ${md5}, and ${host} says ${version.md5}.`);
  }
}

const parseState = (content: Uint8Array): { readonly serial: number; readonly lineage: string | undefined } => {
  try {
    const { serial, lineage } = JSON.parse(Buffer.from(content).toString());
    if (Number.isSafeInteger(serial)) return { serial, lineage: typeof lineage === 'string' ? lineage : undefined };
  } catch {}
  throw new Failure('failed', 'The state cannot be read: it is not a JSON object with a serial.');
};

/**
 * Adds a state version to a workspace of the source.
 * @throws Failure `conflict` if the workspace is not locked, or its current state is not the pushed one afterwards.
 */
export const pushState = async (
  { wait, signal }: Io,
  connection: Connection,
  name: string,
  content: Uint8Array,
): Promise<void> => {
  const { api, address } = connection;
  const { serial, lineage } = parseState(content);
  const { id, attributes } = await readByName(connection, name);
  if (!attributes.locked) throw new Failure('conflict', `${name} is not locked at ${address.host}.`);
  const current = async (): Promise<Buffer> => {
    const { document } = await api.send(showCurrentState(id));
    const parts: Uint8Array[] = [];
    for await (const part of open(connection, document.data.id)) parts.push(part);
    return Buffer.concat(parts);
  };
  const isInline = content.length <= LARGEST_INLINE;
  try {
    const { document } = await api.send(
      apiRequest('post', '/api/v2/workspaces/{workspace_id}/state-versions', {
        path: { workspace_id: id },
        body: {
          data: {
            type: 'state-versions',
            attributes: {
              serial,
              md5: createHash('md5').update(content).digest('hex'),
              ...(lineage !== undefined && { lineage }),
              ...(isInline && { state: Buffer.from(content).toString('base64') }),
            },
          },
        },
      }),
    );
    const { id: version, attributes: created } = document.data;
    if (!isInline) await api.upload(created['hosted-state-upload-url'] ?? '', content);
    for (let reading = 1; reading <= READINGS; reading += 1) {
      const { status } = (await api.send(showStateVersion(version))).document.data.attributes;
      if (status !== 'pending') break;
      await wait(1_000, signal);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const present = await current().catch(() => undefined);
    // The response to an attempt before may be lost: then the state is there already.
    if (present?.equals(content)) return;
    // Some servers respond with another status than 409 to a serial that is not higher.
    if (present === undefined || parseState(present).serial < serial) throw error;
    throw new Failure('conflict', `${name} has a newer state at ${address.host}.`, error.details);
  }
  if (!(await current()).equals(content)) {
    throw new Failure('conflict', `The current state of ${name} at ${address.host} is not the one that was sent.`);
  }
};
