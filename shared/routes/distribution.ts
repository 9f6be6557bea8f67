/** Header with which the distribution in front of the API shows that a request comes from it. */
export const ORIGIN_SECRET_HEADER = 'x-holdfast-origin';

/** Header in which the distribution sends the address of the client. It replaces the one that a client sends. */
export const CLIENT_ADDRESS_HEADER = 'x-holdfast-client-address';
