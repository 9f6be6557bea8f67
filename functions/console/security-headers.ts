/** Directives of the Content-Security-Policy of the page, which workers inherit from their script. */
const directives = (stateOrigin: string): Readonly<Record<string, string>> => ({
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'worker-src': "'self'",
  'connect-src': `'self' ${stateOrigin}`,
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
});

/** Features of browsers that the console does not use. */
const deniedFeatures = [
  'camera',
  'display-capture',
  'geolocation',
  'microphone',
  'payment',
  'publickey-credentials-get',
  'usb',
];

/**
 * Creates the headers that protect the console (CONSOLE-5).
 * @param stateOrigin origin of presigned URLs: the only other origin that the console may call.
 */
export const createSecurityHeaders = (stateOrigin: string): Readonly<Record<string, string>> => ({
  'content-security-policy': Object.entries(directives(stateOrigin))
    .map(([name, value]) => `${name} ${value}`)
    .join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': deniedFeatures.map((feature) => `${feature}=()`).join(', '),
  'referrer-policy': 'no-referrer',
});
