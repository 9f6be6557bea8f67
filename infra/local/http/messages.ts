/** An HTTP request whose body has been read. */
export interface IncomingRequest {
  readonly id: string;
  readonly method: string;
  readonly protocol: string;
  readonly rawPath: string;
  readonly rawQueryString: string;
  /** Names and values in turn, exactly as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly port: number;
  readonly receivedAt: Date;
}

/** Returns the value of a header. @param name the name of the header in lower case. */
export const getHeader = ({ rawHeaders }: Pick<IncomingRequest, 'rawHeaders'>, name: string): string | undefined => {
  const position = rawHeaders.findIndex((each, i) => i % 2 === 0 && each.toLowerCase() === name);
  return position < 0 ? undefined : rawHeaders[position + 1];
};

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

/** Creates the response of API Gateway for one of its own errors. */
export const gatewayError = (name: keyof typeof gatewayErrors): HttpResponse => {
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
