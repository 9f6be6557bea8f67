/** Options with which the document client and the lean client marshall values. */
export const marshallOptions = { removeUndefinedValues: true, convertTopLevelContainer: true } as const;
