/** An answer in API Gateway's payload format 2.0. */
export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** On every answer: clients refuse to work with an API whose version they cannot read (contract 1.8). */
const COMMON = {
  'tfp-api-version': '2.6',
  'tfp-appname': 'Holdfast',
  'cache-control': 'no-store',
};

const MEDIA_TYPE = 'application/vnd.api+json';

export const answer = (statusCode: number, body?: object, headers: Readonly<Record<string, string>> = {}): Answer => ({
  statusCode,
  headers: { ...COMMON, ...(body && { 'content-type': MEDIA_TYPE }), ...headers },
  ...(body && { body: JSON.stringify(body) }),
});
