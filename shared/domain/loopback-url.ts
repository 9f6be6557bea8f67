const isLoopback = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

/** Tells whether a URL is one of a service on this machine, without encryption. */
export const isLoopbackUrl = (url: URL): boolean => url.protocol === 'http:' && isLoopback(url.hostname);
