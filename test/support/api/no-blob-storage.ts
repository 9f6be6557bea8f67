/** Operations of the cleanup outside of the table, in tests in which no workspace has blobs and no job needs a worker. */
export const noBlobs = {
  startJobWorker: async (): Promise<void> => {},
  markDeleted: async (): Promise<void> => {},
  remove: async (): Promise<void> => {},
  markReadmeDeleted: async (): Promise<void> => {},
};
