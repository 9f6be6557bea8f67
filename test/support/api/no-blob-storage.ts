/** Blob storage of tests in which no workspace has blobs. */
export const noBlobs = {
  markDeleted: async (): Promise<void> => {},
  remove: async (): Promise<void> => {},
  markReadmeDeleted: async (): Promise<void> => {},
};
