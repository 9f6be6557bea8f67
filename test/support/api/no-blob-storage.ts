/** For tests in which nothing has objects. */
export const noBlobs = {
  markDeleted: async (): Promise<void> => {},
  remove: async (): Promise<void> => {},
  markReadmeDeleted: async (): Promise<void> => {},
};
