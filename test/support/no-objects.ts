/** For tests in which no state version has objects. */
export const noObjects = { hide: async (): Promise<void> => {}, remove: async (): Promise<void> => {} };
