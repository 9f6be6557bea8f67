/** A complete HTTP response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/**
 * Statuses and messages of the errors that API Gateway and Lambda return themselves. AWS does not let an application
 * change these bodies, so they are not JSON:API.
 */
export const gatewayErrors = {
  badRequest: [400, 'Bad Request'],
  forbidden: [403, 'Forbidden'],
  notFound: [404, 'Not Found'],
  requestTimeout: [408, 'Request Timeout'],
  tooLarge: [413, 'Request Entity Too Large'],
  headersTooLarge: [431, 'Request Header Fields Too Large'],
  internal: [500, 'Internal Server Error'],
  unavailable: [503, 'Service Unavailable'],
} as const;

export type GatewayErrorName = keyof typeof gatewayErrors;

/** Creates the response of API Gateway for one of its own errors. */
export const gatewayError = (name: GatewayErrorName): HttpResponse => {
  const [status, message] = gatewayErrors[name];
  return jsonResponse(status, { message });
};

/** Creates a JSON response. */
export const jsonResponse = (
  status: number,
  value: unknown,
  headers: readonly (readonly [string, string])[] = [],
): HttpResponse => ({
  status,
  headers: [['content-type', 'application/json'], ...headers],
  body: Buffer.from(JSON.stringify(value)),
});
