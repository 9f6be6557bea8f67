/** For tests in which nothing has objects. */
export const noBlobs = {
  hide: async (): Promise<void> => {},
  remove: async (): Promise<void> => {},
  hideReadme: async (): Promise<void> => {},
};
