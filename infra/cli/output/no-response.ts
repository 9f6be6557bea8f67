import type { Io } from '../io.ts';

/** Explains why a request of `fetch` has no response. @param origin of the service. */
export const explainNoResponse = ({ env }: Io, origin: string, error: unknown): string => {
  const { hostname, host } = new URL(origin);
  // The message of the error itself can quote a part of a response that is not complete.
  const { cause, name } = error as Error & { readonly cause?: NodeJS.ErrnoException };
  const code = cause?.code ?? '';
  const proxy =
    (env['HTTPS_PROXY'] || env['https_proxy']) && !env['NODE_USE_ENV_PROXY']
      ? ' HTTPS_PROXY is set, but Node uses it only with NODE_USE_ENV_PROXY=1.'
      : '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The name ${hostname} is not found (${code}).${proxy}`;
  if (code === 'ECONNREFUSED') return `${host} refuses the connection.${proxy}`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return `${host} does not speak HTTPS. A local service has an address such as http://127.0.0.1:8080.`;
  }
  if (/CERT|SIGNATURE|TLS/.test(code)) {
    return `The certificate of ${host} is not accepted (${code}). NODE_EXTRA_CA_CERTS names a file with further authorities.`;
  }
  if (name === 'SyntaxError') return `${host} responds with JSON that is damaged or incomplete.`;
  if (name === 'TimeoutError') return `${host} does not respond in time.${proxy}`;
  return `${host} does not respond (${code || (cause?.message ?? name)}).${proxy}`;
};
