/** How each query operator is treated. `parse.ts` and `operators.ts` implement this table; a test compares them. */
type OperatorRule = 'implemented' | 'harmless' | 'refused'

/** Operators at the top level of a filter. */
export const topLevelOperators: Readonly<Record<string, OperatorRule>> = {
  $and: 'implemented',
  $or: 'implemented',
  $nor: 'implemented',
  $expr: 'implemented',
  $comment: 'harmless',
  $text: 'refused',
  $where: 'refused',
  $jsonSchema: 'refused',
}

/** Operators under a field. */
export const fieldOperators: Readonly<Record<string, OperatorRule>> = {
  $eq: 'implemented',
  $ne: 'implemented',
  $gt: 'implemented',
  $gte: 'implemented',
  $lt: 'implemented',
  $lte: 'implemented',
  $in: 'implemented',
  $nin: 'implemented',
  $not: 'implemented',
  $exists: 'implemented',
  $type: 'implemented',
  $all: 'implemented',
  $elemMatch: 'implemented',
  $size: 'implemented',
  $regex: 'implemented',
  $options: 'implemented',
  $mod: 'implemented',
  $bitsAllSet: 'implemented',
  $bitsAnySet: 'implemented',
  $bitsAllClear: 'implemented',
  $bitsAnyClear: 'implemented',
  $comment: 'harmless',
  $near: 'refused',
  $nearSphere: 'refused',
  $geoWithin: 'refused',
  $geoIntersects: 'refused',
}
