/** Every path of the API starts with this. */
export const BASE_PATH = '/api/v2';

/** Version of the API, in a header of every response: clients reject versions that they do not know. */
export const API_VERSION = '2.6';

/** Media type of JSON:API documents. */
export const MEDIA_TYPE = 'application/vnd.api+json';
