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
  /** The port that received the request. */
  readonly port: number;
  readonly receivedAt: Date;
}

/** Returns the value of a header. @param name the name of the header in lower case. */
export const getHeader = ({ rawHeaders }: Pick<IncomingRequest, 'rawHeaders'>, name: string): string | undefined => {
  const position = rawHeaders.findIndex((each, i) => i % 2 === 0 && each.toLowerCase() === name);
  return position < 0 ? undefined : rawHeaders[position + 1];
};
