/** Words that distinguish a clause from the name of a thing, and articles before a thing. Folded. */

/** Words that occur in clauses but not in the name of a thing. */
export const clauseWord =
  /\s(?:not|nicht|kein\p{L}*|pas|no|non|niet|geen|i|we|you|us|was|were|is|are|has|have|had|will|ich|wir|uns|ist|war|wurde|wird|hat|je|j['’]\p{L}+|nous|vous|est|sont|etait|nos|es|son|esta|fue|noi|e stat[oa]|sono|ik|wij|ons|werd|wordt|heeft)(?=\s|$)/u
/** An article at the end of the text before a thing. */
export const withArticle =
  /(?:^|[\s'’])(?:der|die|das|den|dem|eine?[nm]?|an?|une?|des|du|les?|la|l|el|los|las|una?|unos|il|lo|gli|i|uno)[\s'’]+$/
/** Beginnings that the name of a thing never has. */
export const notAThing =
  /^(?:[cjqnsm]u?['’]|(?:i|we|you|he|she|they|it|me|us|my (?=\p{L}+ (?:is|was))|this|that|there|here|one|something|someone|somebody|anything|more|much|many|help|work|time|to|be|being|have|has|had|is|are|was|were|would|will|can|could|do|does|did|not|ich|wir|sie|er|es|man|uns|mich|mir|ihnen|das(?= ist)|etwas|jemand\p{L}*|was|wie|wo|mehr|bitte|gern\p{L}*|ist|sind|war|hat|haben|wird|werden|wurde|kann|konnen|je|nous|vous|il|elle|on|ils|quelqu|me|se|est|sont|etait|ai|avons|ont|y|en|yo|nosotros|usted|ustedes|lo|le|les|os|nos|algo|alguien|es|son|esta|estan|hay|que|a|io|noi|lei|voi|ci|vi|mi|si|e|sono|era|ha|hanno|ho|qualcosa|qualcuno|ik|wij|jij|jullie|u|hij|zij|ze|iets|iemand|dat|is|zijn|was|heeft|hebben|wordt|kan|of|or|so|sehr|very|tres|muy|molto|heel|als|as|what|welche\p{L}*|ce|lo|quello|wat|wieder|again|also|yes|ja|oui|si|please|every|jeden|chaque|cada|ogni|elke|auch|noch|nur|soprattutto|above|vor allem|in|at|on|for|with|from|by|since|am|im|ab|bis|mit|von|zu|vom|nach|fur|dans|avec|pour|par|depuis|para|con|por|desde|per|dal|dalla|da|op|vanaf|met|voor|bij|te|naar|date|datum|fecha|data|budget|presupuesto|preis|price|prix|precio|prezzo|prijs|disculpas|excuses|scuse|all that|all this|all the|everything|alles|tout|todo|tutto|and so|so on|nothing|nichts|rien|nada|niente|niets|bestellen|kaufen|kopen|hebben|haben|order|buy|hola|hi|hello|hallo|bonjour|salve|buongiorno|dag|moin)(?![\p{L}\p{N}-]))/u
