import { invalid } from '../../domain/errors.ts';
import type { StateVersion } from '../../domain/state-versions/state-version.ts';
import { mapRequest, type RequestAttributes, type RequestMappings } from '../attribute-table.ts';
import { readImportedFrom } from '../imported-from.ts';
import { attributes as table } from './attributes.ts';

type Given = RequestAttributes<typeof table>;

/** Attributes of a new state version in a request. */
interface StateVersionRequest
  extends Pick<StateVersion, 'serial' | 'md5'>,
    Partial<Pick<StateVersion, 'lineage' | 'intermediate' | 'importedFrom'>> {
  readonly force?: boolean;
  /** The content, if the client does not upload it separately. */
  readonly state?: Buffer;
  readonly jsonState?: Buffer;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Decodes a text in base 64, which may contain line breaks. Returns undefined if it is null or empty.
 * @throws DomainError 422 if it is not base 64.
 */
const decode = (attribute: string, label: string, given: string | null): Buffer | undefined => {
  const text = given?.replaceAll(/\s/g, '');
  if (!text) return undefined;
  if (!BASE64.test(text)) throw invalid(attribute, `${label} is not base 64`);
  return Buffer.from(text, 'base64');
};

const mappings: RequestMappings<typeof table, StateVersionRequest> = {
  md5: (md5) => ({ md5: md5.toLowerCase() }),
  lineage: (lineage) => ({ lineage: lineage || null }),
  'imported-from': (from) => (from === null ? {} : { importedFrom: readImportedFrom(from) }),
  state: (text) => {
    const state = decode('state', 'State', text);
    return state === undefined ? {} : { state };
  },
  'json-state': (text) => {
    const jsonState = decode('json-state', 'Json state', text);
    return jsonState === undefined ? {} : { jsonState };
  },
  // The outputs are read from the state itself.
  'json-state-outputs': () => ({}),
};

/**
 * Maps the attributes of a request to the attributes of a state version. An omitted attribute is absent from the result.
 * @param attributes have a serial and an MD5, which the schema of the body requires.
 * @throws DomainError 422 for content that is not base 64.
 */
export const stateVersionRequest = (attributes: Given & Required<Pick<Given, 'serial' | 'md5'>>): StateVersionRequest =>
  mapRequest(table, attributes, mappings);
