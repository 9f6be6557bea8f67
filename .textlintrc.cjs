const { phrases } = require('./docs/develop/prose/terms.mjs');

/** The discouraged terms of docs/develop/language.md in the prose of Markdown files. */
module.exports = {
  rules: {
    terminology: {
      defaultTerms: false,
      terms: phrases.map(([pattern, term]) => [`(?:${pattern})`.replaceAll(' ', '\\s+'), term]),
    },
  },
};
