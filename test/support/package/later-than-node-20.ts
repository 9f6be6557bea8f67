/** Functions that Node 20 lacks, in code. Packages for other programs support it; the compiler knows those of Node 24. */
export const laterThanNode20 =
  /\b(?:(?:Map|Object)\.groupBy|URL\.parse|Promise\.(?:try|withResolvers)|Array\.fromAsync|RegExp\.escape|Iterator\.from)\b|\.(?:values|keys|entries)\(\)\.(?:map|filter|flatMap|some|every|find|reduce|toArray)\(|\.(?:isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference)\(/;
