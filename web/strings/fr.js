// fr.js - all texts of the page in Français; see ../strings.js.

/** For the start of a line: names of languages are small in French. @param {string} name */
const capital = (name) => name.charAt(0).toUpperCase() + name.slice(1);

export const shell = {
  title: 'heed',
  tabs: { translate: 'Traduire', see: 'Voir', learn: 'Apprendre', about: 'À propos' },
  nav: 'Sections',
  skip: 'Aller au contenu',
  toDark: 'Passer aux couleurs sombres',
  toLight: 'Passer aux couleurs claires',
  status: {
    empty: 'Aucun modèle chargé',
    loading: (/** @type {number} */ percent) => `Chargement du modèle, ${percent}\u00a0%`,
    ready: 'Prêt',
    failed: 'Le modèle n’a pas pu être chargé',
  },
  progress: 'Téléchargement du modèle',
  roomFailed: 'Cette section n’a pas pu être ouverte.',
  roomLoading: 'Ouverture…',
  retry: 'Réessayer',
  language: 'Langue de la page',
  pair: 'Langues de la traduction',
  from: 'Traduire de',
  to: 'Traduire vers',
  swap: 'Inverser les langues',
  noSwap: 'Aucun modèle pour l’autre sens',
  own: 'modèle personnel',
};

export const translate = {
  heading: 'Traduire',
  lead: 'Écrivez un texte, lisez sa traduction. Le modèle fonctionne dans cette page, et votre texte y reste.',
  source: (/** @type {string} */ language) => capital(language || 'Texte'),
  target: (/** @type {string} */ language) => capital(language || 'Traduction'),
  sourceLabel: 'Texte à traduire',
  targetLabel: 'Traduction',
  placeholder: 'Écrivez ou collez un texte…',
  waiting: 'La traduction apparaît ici.',
  clear: 'Effacer',
  copy: 'Copier',
  copied: 'Copié',
  copyFailed: 'Le navigateur ne permet pas de copier. Sélectionnez le texte et copiez-le vous-même.',
  undo: 'Annuler',
  nothing: 'Le modèle ne donne rien pour ce texte.',
  downloading: (/** @type {string} */ loaded, /** @type {string} */ total) =>
    `Téléchargement du modèle, une seule fois\u00a0: ${loaded} sur ${total}.`,
  done: (/** @type {number} */ count, /** @type {number} */ total) => `${count} phrases sur ${total}`,
  size: (/** @type {number} */ characters) =>
    `${characters.toLocaleString('fr')} ${characters < 2 ? 'caractère' : 'caractères'}`,
  looksLike: (/** @type {string} */ language) => `Ce texte semble être en ${language}.`,
  translateFrom: (/** @type {string} */ from, /** @type {string} */ to) => `Traduire\u00a0: ${from} vers ${to}`,
  limits: 'Un petit modèle\u00a0: bon pour les phrases de tous les jours, faible pour les mots rares et les phrases '
    + 'longues. Les mots soulignés sont incertains. Pointez un mot pour voir d’où il vient, cliquez dessus pour voir '
    + 'ce qu’il pourrait être d’autre.',
  alternatives: 'Ce qui pourrait se trouver ici',
  sure: (/** @type {number} */ percent) => `est juste avec une probabilité de ${percent}\u00a0%.`,
  searching: 'Recherche…',
  noAlternatives: 'Le modèle n’a pas d’autre mot ici.',
  twoModels: 'Deux modèles traduisent cette paire : ils ne proposent pas d’autres mots.',
  examples: 'Essayez',
  beams: 'Recherche élargie',
  beamsHint: 'Suit quatre traductions à la fois et les affiche. Plus lent, mais parfois un peu mieux.',
  see: 'Voir son attention',
  candidates: 'Les meilleures traductions de la recherche',
  candidatesOf: (/** @type {number} */ i) => `Phrase ${i}`,
  score: 'log-probabilité avec la pénalité de longueur',
  probability: (/** @type {string} */ share) => `${share} du total de ces traductions`,
  speed: (/** @type {number} */ tokens, /** @type {string} */ time, /** @type {string} */ rate) =>
    `${tokens} ${tokens < 2 ? 'jeton' : 'jetons'} en ${time}, ${rate} jetons/s`,
  memory: (/** @type {string} */ weights, /** @type {string} */ memory) => `poids ${weights}, mémoire ${memory}`,
  where: (/** @type {boolean} */ worker) => (worker ? 'dans un worker' : 'dans la page'),
  failed: 'Ce texte n’a pas pu être traduit.',
  loadFailed: 'Le modèle n’a pas pu être chargé.',
  help: {
    NetworkError: 'Vérifiez la connexion ou l’adresse, puis réessayez.',
    QuotaExceededError: 'Le navigateur n’a pas assez de place pour le modèle. Fermez d’autres onglets, puis réessayez.',
    NotSupportedError: 'Choisissez d’autres langues ou un autre modèle, ou utilisez un navigateur plus récent.',
    file: 'Un fichier du modèle manque ou est endommagé. Téléchargez de nouveau le modèle, ou choisissez-en un autre.',
    other: 'Réessayez\u00a0; si cela ne suffit pas, rechargez la page.',
  },
  retry: 'Réessayer',
  terms: {
    title: 'Glossaire',
    text: 'Un terme et sa traduction par ligne. Les traductions les reprennent tels quels.',
    hint: 'router = Datenverteiler',
    wrong: (/** @type {number[]} */ lines) =>
      `${lines.length === 1 ? 'Ligne' : 'Lignes'} ${lines.join(', ')}\u00a0: attendu terme = traduction.`,
    count: (/** @type {number} */ n) => (n === 0 ? '' : `${n} ${n < 2 ? 'terme' : 'termes'}`),
    lost: (/** @type {string[]} */ terms) => `Le modèle n’a pas pu placer\u00a0: ${terms.join(', ')}.`,
  },
  own: {
    title: 'Utiliser votre propre modèle',
    text: 'Tout dossier MarianMT (OPUS-MT)\u00a0: config.json, vocab.json, source.spm, target.spm, et les poids dans '
      + 'model.safetensors ou pytorch_model.bin. Ou les fichiers d’un des modèles de Firefox\u00a0: model.….bin et '
      + 'vocab.….spm. Les fichiers restent dans ce navigateur.',
    drop: 'Déposez ici les fichiers ou le dossier',
    files: 'Choisir des fichiers',
    folder: 'Choisir un dossier',
    url: 'Adresse du dossier',
    urlHint: 'https://…',
    from: 'De',
    to: 'Vers',
    languageHint: 'codes de langue comme en et de, si le modèle ne nomme pas ses langues',
    load: 'Charger',
    several: (/** @type {string[]} */ folders) =>
      `Il y a plusieurs modèles\u00a0: ${folders.join(', ')}. Choisissez un seul dossier.`,
    missing: (/** @type {string[]} */ names) => `Fichiers manquants\u00a0: ${names.join(', ')}.`,
    badUrl: 'Ce n’est pas une adresse https.',
  },
};

export const see = {
  heading: 'Voir',
  views: {
    heads: 'Têtes', flow: 'Parcours', matrix: 'Matrice', neuron: 'Requête et clés', layers: 'Couches',
    gates: 'Portes', alignment: 'Alignement', occlusion: 'Omettre un mot', ablation: 'Désactiver des têtes',
    beam: 'Faisceau',
  },
  attention: 'Attention\u00a0: pour chaque jeton qu’il écrit, le modèle regarde tous les autres et prend davantage de '
    + 'ceux qui comptent le plus. La somme des parts est 1.',
  chapter: 'Comment cela se calcule',
  viewsLabel: 'Vues',
  text: 'Texte',
  translate: 'Traduire',
  sentence: 'Phrase',
  model: 'Modèle',
  noModel: 'Aucun modèle n’est chargé. Chargez-en un sous Traduire.',
  loadFailed: 'Le modèle n’a pas pu être chargé.',
  retry: 'Réessayer',
  noText: 'Écrivez une phrase ci-dessus pour voir ici son attention.',
  loading: 'En attente du modèle…',
  running: 'Traduction…',
  failed: 'Ce texte n’a pas pu être traduit\u00a0:',
  viewFailed: 'Cette vue n’a pas pu être affichée\u00a0:',
  candidates: (/** @type {number} */ n, /** @type {number} */ of) =>
    `Le modèle a une présélection\u00a0: de ses ${of} jetons, seuls les ${n} que cette phrase sélectionne ont été `
    + 'calculés. Les autres n’ont pas de probabilité ici.',
  export: 'Enregistrer en',
  exportOf: (/** @type {string} */ kind) => `Enregistrer en ${kind}`,
  exportFailed: 'Le fichier n’a pas pu être créé\u00a0:',
  onlyWords: 'Sans </s> ni langue',
  start: '(début)',
  stack: 'Attention',
  stacks: { encoder: 'Encodeur', cross: 'De l’encodeur au décodeur', decoder: 'Décodeur' },
  shortStacks: { encoder: 'encodeur', cross: 'croisée', decoder: 'décodeur' },
  layer: 'Couche',
  head: 'Tête',
  heads: 'Têtes',
  place: (/** @type {string} */ stack, /** @type {number} */ layer, /** @type {number} */ head) =>
    `${stack}, couche ${layer}, tête ${head}`,

  headsView: {
    choose: 'Choisir l’attention, la couche et les têtes',
    lead: 'Chaque trait va d’un jeton à un jeton qu’il regarde. Plus le trait est fort, plus le poids est grand. '
      + 'Pointez un jeton, ou allez-y avec les flèches du clavier, pour ne voir que ses traits.',
    sides: {
      encoder: ['Jeton source', 'regarde'], decoder: ['En entrée', 'regarde'],
      cross: ['Cible, telle que prédite', 'regarde la source'],
    },
    all: 'Toutes', none: 'Aucune',
    threshold: 'Traits à partir de',
    clearest: 'La plus nette',
    clearestHint: 'La tête qui regarde le plus nettement quelques mots',
    attends: (/** @type {string} */ token, /** @type {string} */ list) => `${token} regarde ${list}`,
    attended: (/** @type {string} */ token, /** @type {string} */ list) => `${token} est regardé par ${list}`,
    mean: 'Les nombres sont la moyenne des têtes choisies.',
  },
  matrixView: {
    lead: {
      encoder: 'Chaque ligne est un jeton source, et montre comment il répartit son attention entre tous les jetons '
        + 'source.',
      decoder: 'Chaque ligne est une étape du décodeur\u00a0: jeton prédit ← jeton d’entrée. '
        + 'Elle ne voit que les jetons déjà écrits.',
      cross: 'Chaque ligne est une étape du décodeur\u00a0: jeton prédit ← jeton d’entrée. '
        + 'Elle montre comment l’étape répartit son attention entre les jetons source.',
    },
    help: 'Les flèches du clavier mènent à une autre case. Entrée ou un clic montre la somme derrière elle. Plus et '
      + 'moins changent l’échelle\u00a0; deux doigts agrandissent et déplacent.',
    label: (/** @type {string} */ place) => `Poids d’attention, ${place}`,
    zoomIn: 'Plus grand', zoomOut: 'Plus petit', fit: 'Ajuster',
    weight: (/** @type {string} */ w) => `poids ${w}`,
    predicts: (/** @type {string} */ token) => `prédit ${token}`,
    fed: (/** @type {string} */ token) => `entrée ${token}`,
    to: (/** @type {string} */ token) => `regarde ${token}`,
    of: (/** @type {string} */ token) => `jeton ${token}`,
    table: 'En tableau de nombres',
    part: (/** @type {string} */ rows, /** @type {string} */ cols) => `lignes ${rows}, colonnes ${cols}`,
    range: (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ of) =>
      `${from} à ${to} sur ${of}`,
    up: 'Lignes précédentes', down: 'Lignes suivantes', left: 'Colonnes précédentes', right: 'Colonnes suivantes',
    row: 'jeton',
  },
  neuronView: {
    lead: 'Un jeton demande avec sa requête, et chaque jeton répond avec sa clé. Leur produit, nombre par nombre puis '
      + 'additionné, est le score\u00a0; softmax fait des scores des parts.',
    query: 'Requête de',
    token: 'Jeton',
    key: 'clé k',
    ownQuery: 'requête q',
    products: 'q \u00d7 k',
    score: (/** @type {number} */ size) => `somme / \u221a${size}`,
    unscaled: 'somme',
    bias: 'biais de position',
    queryOf: (/** @type {string} */ token) => `Requête de ${token}`,
    keyOf: (/** @type {string} */ token) => `Clé de ${token}`,
    productsOf: (/** @type {string} */ token) => `Requête fois clé de ${token}`,
    negative: 'négatif',
    positive: 'positif',
    masked: 'Les jetons qui ne sont pas encore écrits sont masqués\u00a0: leur score est \u2212\u221e.',
  },
  flowView: {
    lead: 'Tout le chemin du texte au jeton suivant, avec les nombres du modèle.',
    written: 'Écrit jusqu’ici\u00a0:',
    open: (/** @type {string} */ step) => `Ouvrir ${step}`,
    all: 'Tout ouvrir',
    none: 'Tout fermer',
    again: 'Recommencer au début',
    write: (/** @type {string} */ token) => `Écrire «\u00a0${token}\u00a0» et continuer`,
    tokens: 'Jetons',
    tokensNote: 'Le texte est découpé en morceaux que le modèle connaît.',
    embedding: 'Plongement',
    embeddingNote: (/** @type {number} */ width) =>
      `Chaque jeton devient ${width} nombres\u00a0: sa ligne de la table des plongements.`,
    timesNote: (/** @type {number} */ width) => `Tous sont multipliés par \u221a${width}.`,
    positionNote: 'S’y ajoute sa position.',
    normedNote: 'Puis chaque ligne est normalisée.',
    distanceNote: 'La position n’est pas ajoutée\u00a0: l’attention ajoute à chaque score un nombre qui dépend de la distance '
      + 'entre les deux jetons.',
    distances: 'ajouté aux scores, par distance\u00a0; une ligne par tête',
    vectors: 'une ligne par jeton',
    encoderLayer: (/** @type {number} */ n) => `Encodeur, couche ${n}`,
    encoderNote: 'L’attention mélange les jetons et ajoute à chaque ligne ce qu’elle trouve\u00a0; le réseau '
      + 'feed-forward ajoute ce qu’il fait de chaque ligne seule.',
    mean: 'attention, moyenne des têtes',
    adds: 'l’attention ajoute',
    thinks: 'le réseau feed-forward ajoute',
    memory: 'La phrase telle que le décodeur la voit',
    memoryNote: 'Ces lignes donnent les clés et les valeurs de chaque étape.',
    fed: 'Ce qui est écrit jusqu’ici',
    fedNote: 'Le décodeur reçoit ses propres jetons. Le dernier demande le suivant.',
    decoderLayer: (/** @type {number} */ n) => `Décodeur, couche ${n}`,
    decoderNote: 'Chaque tête regarde ce qui est écrit, puis la source.',
    vector: 'Un seul vecteur',
    vectorNote: (/** @type {number} */ width) =>
      `Tout ce qui compte pour le jeton suivant est dans ces ${width} nombres.`,
    logits: 'Logits et softmax',
    tiedNote: 'Le vecteur fois chaque ligne de la table des plongements donne un logit par jeton.',
    ownNote: 'Le vecteur fois chaque ligne d’une matrice à part donne un logit par jeton.',
    dividedNote: (/** @type {number} */ width) => `Le vecteur est d’abord divisé par \u221a${width}.`,
    softmaxNote: 'Softmax des logits, divisés par la température, donne des probabilités.',
    givenNote: 'Ce jeton est donné, et non choisi\u00a0: il dit la langue de la traduction.',
    temperature: 'Température',
  },
  layersView: {
    lead: 'Toutes les têtes de toutes les couches d’un coup d’œil. Choisissez-en une pour l’ouvrir dans Matrice.',
    open: (/** @type {number} */ layer, /** @type {number} */ head) => `Ouvrir la couche ${layer}, tête ${head}`,
    layer: (/** @type {number} */ layer) => `Couche ${layer}`,
    head: (/** @type {number} */ head) => `Tête ${head}`,
  },
  gatesView: {
    lead: 'Le décodeur de ce modèle n’a pas d’auto-attention. Il retient les jetons déjà écrits dans une rangée de '
      + 'nombres, sa mémoire. Chaque ligne est ici une étape\u00a0: jeton prédit ← jeton d’entrée\u00a0; chaque '
      + 'colonne est un nombre de la mémoire. Plus la couleur est forte, plus il reste de l’ancien nombre\u00a0; le '
      + 'reste est remplacé par un nouveau, tiré de l’entrée.',
    first: 'À la première étape, la mémoire est vide\u00a0: ce qui est gardé vaut 0.',
    label: (/** @type {number} */ layer) => `Part de la mémoire que chaque étape garde, couche ${layer}`,
    dimension: (/** @type {number} */ i) => `nombre ${i}`,
    keeps: (/** @type {string} */ share) => `garde ${share}`,
    candidate: (/** @type {string} */ x) => `nouveau\u00a0: ${x}`,
    cell: (/** @type {string} */ before, /** @type {string} */ after) => `mémoire\u00a0: ${before} → ${after}`,
    mean: (/** @type {string} */ share) => `En moyenne, une étape garde ${share} d’un nombre.`,
    zoomIn: 'Plus grand', zoomOut: 'Plus petit', fit: 'Ajuster',
  },
  alignmentView: {
    lead: 'Pointez un mot, touchez-le, ou allez-y avec les flèches du clavier\u00a0: '
      + 'ce qui lui correspond dans l’autre texte est marqué.',
    from: 'Attention croisée de',
    mean: 'toutes les couches et têtes, moyenne',
    source: 'Source', target: 'Traduction',
    targetTo: (/** @type {string} */ word, /** @type {string} */ list) =>
      `«\u00a0${word}\u00a0» a regardé ${list}`,
    sourceTo: (/** @type {string} */ word, /** @type {string} */ list) =>
      `«\u00a0${word}\u00a0» a été regardé par ${list}`,
    nothing: 'rien en particulier',
    choose: 'Aucun mot choisi.',
    note: 'Les nombres sont des parts de l’attention du mot cible. '
      + 'Le reste est sous 2\u00a0% chacun, ou sur la fin de la phrase.',
  },
  occlusionView: {
    lead: 'Que fait chaque mot de la source\u00a0? Choisissez-en un\u00a0: il est omis, et la phrase est traduite de '
      + 'nouveau.',
    leaveOut: (/** @type {string} */ word) => `Omettre «\u00a0${word}\u00a0»`,
    nothing: 'Aucun mot n’est omis.',
    same: 'La traduction reste la même.',
    differs: 'La traduction change.',
    measuring: (/** @type {number} */ done, /** @type {number} */ of) => `${done} mots sur ${of}`,
    legend: 'Nombres\u00a0: variation de la log-probabilité d’un jeton de cette traduction quand le mot au-dessus est '
      + 'omis.',
  },
  ablationView: {
    lead: 'Désactivez des têtes\u00a0: leur sortie devient nulle, et la phrase est traduite de nouveau.',
    reset: 'Toutes actives',
    measure: 'Quelle tête compte le plus\u00a0?',
    measureHint: 'Désactive chaque tête à tour de rôle et mesure à quel point la traduction devient moins probable.',
    stop: 'Arrêter',
    measuring: (/** @type {number} */ done, /** @type {number} */ of) => `${done} têtes sur ${of}`,
    original: 'Avec toutes les têtes',
    changed: (/** @type {number} */ n) => `Avec ${n} ${n < 2 ? 'tête désactivée' : 'têtes désactivées'}`,
    same: 'La traduction reste la même.',
    differs: 'La traduction change.',
    score: 'log-probabilité',
    delta: (/** @type {string} */ d) => `variation ${d}`,
    oldScore: 'La traduction d’origine, selon le modèle sans ces têtes\u00a0',
    running: 'Traduction…',
    nothing: 'Toutes les têtes sont actives.',
    most: 'Les têtes dont cette traduction a le plus besoin',
    rank: (/** @type {string} */ place, /** @type {string} */ d) => `${place}\u00a0: ${d}`,
    legend: 'Nombres\u00a0: variation de la log-probabilité de cette traduction quand seule cette tête est désactivée.',
  },
  beamView: {
    lead: 'La recherche en faisceau (beam search) suit plusieurs traductions à la fois et garde les meilleures.',
    beams: 'Largeur du faisceau',
    best: 'la meilleure', finished: 'terminée', pruned: 'abandonnée',
    tree: 'Arbre des hypothèses',
    treeHelp: 'Flèches du clavier\u00a0: → vers l’étape suivante, ← en arrière, ↑ ↓ vers les voisines. '
      + 'Pâle\u00a0: abandonnée aussitôt. Gras\u00a0: la gagnante.',
    node: (/** @type {string} */ piece, /** @type {string} */ own, /** @type {string} */ sum,
      /** @type {string} */ states) =>
      `${piece}\u00a0: log-probabilité ${own}, somme jusqu’ici ${sum}${states && `, ${states}`}`,
    list: 'Résultats de la recherche',
    listHelp: 'Le meilleur d’abord, selon le score\u00a0: la somme des log-probabilités des jetons, divisée par leur '
      + 'nombre à la puissance de la pénalité de longueur, qui vaut 1 si le modèle n’en donne pas d’autre. La somme '
      + 'vient ensuite.',
    tokens: 'La gagnante, jeton par jeton',
    piece: 'Jeton', logProb: 'log-probabilité', probability: 'probabilité', sum: 'somme',
    noTree: 'Ce modèle n’indique pas les étapes de sa recherche\u00a0; seuls les résultats sont donc affichés.',
    running: 'Recherche…',
  },
};

export const learn = {
  title: 'Apprendre',
  lead:
    'Quinze courts chapitres, d’un seul mot au Transformer entier. Les figures sont recalculées dès que vous ' +
    'modifiez un nombre, par le même code que celui qui traduit.',
  contents: 'Chapitres',
  chapter: (/** @type {number} */ number, /** @type {number} */ of) => `Chapitre ${number} sur ${of}`,
  previous: 'Précédent',
  next: 'Suivant',
  notice: 'À remarquer',
  failed: 'Ce chapitre n’a pas pu être affiché\u00a0:',
  loading: 'Chargement…',
  needsModel: 'Cette figure montre le modèle de traduction. Chargez-en un sous Traduire.',
  needsInspect: 'Le modèle chargé ne peut pas être examiné ici.',
  example: 'My sister lives in a small house near the station because she works there.',
  edit:
    'Tout nombre encadré est modifiable\u00a0: écrivez-en un autre, ou utilisez les flèches ↑ et ↓ du clavier.',
  reset: 'Rétablir les nombres',
  point:
    'Pointez une cellule, ou allez-y avec les flèches\u00a0: sa ligne et sa colonne s’allument, et son calcul ' +
    's’écrit ici.',
  startToken: '(début)',

  embeddings: {
    title: 'Des mots sous forme de vecteurs',
    text: [
      'Un Transformer ne sait pas lire. Il cherche chaque jeton dans une table qui a une ligne de nombres par entrée ' +
        'de son vocabulaire\u00a0: le plongement (embedding). Personne n’a écrit ces lignes\u00a0; elles sont ' +
        'apprises avec tout le reste.',
      'Les mots qui s’emploient de la même façon reçoivent des lignes de direction voisine. La similarité de deux ' +
        'directions est le cosinus de l’angle entre elles\u00a0: 1 pour la même direction, 0 pour un angle droit, ' +
        '−1 pour des directions opposées.',
    ],
    notice:
      'Seule la direction d’un vecteur compte pour le cosinus, pas sa longueur\u00a0: doublez une ligne, et rien ne ' +
      'change.',
    vectors: 'Trois mots, deux nombres chacun',
    similarity: 'Cosinus de chaque paire',
    plane: 'Les trois vecteurs sous forme de flèches dans un plan',
    names: ['chat', 'chien', 'voiture'],
    real: 'La même chose avec le modèle chargé',
    words: 'Des mots, séparés par des espaces',
    wordsStart: 'Monday Friday mother father three four was were',
    compare: 'Comparer',
    near: 'Mots du vocabulaire les plus proches de',
    pieces: (/** @type {string} */ word, /** @type {string[]} */ pieces) =>
      `«\u00a0${word}\u00a0» est formé de ${pieces.length} jetons (${pieces.join(' + ')})\u00a0; ` +
      'voici la moyenne de leurs lignes.',
    size: (/** @type {number} */ rows, /** @type {number} */ cols) =>
      `La table a ${rows} lignes de ${cols} nombres.`,
    busy: 'Comparaison avec tout le vocabulaire…',
    arrows: {
      title: 'Une relation est-elle une direction\u00a0?',
      text:
        'Si «\u00a0man\u00a0» diffère de «\u00a0woman\u00a0» comme «\u00a0king\u00a0» de «\u00a0queen\u00a0», les ' +
        'flèches entre leurs vecteurs sont parallèles. Ici tous les vecteurs ont la longueur 1, et les deux ' +
        'flèches sont dessinées dans le plan où elles se trouvent\u00a0: longueurs et angle sont donc exacts.',
      arrow: (/** @type {string} */ one, /** @type {string} */ two) => `${one}, ${two}`,
      choose: 'Flèches',
      words: 'Les vôtres\u00a0: de, vers, de, vers',
      draw: 'Dessiner',
      four: (/** @type {number} */ count) => `${count} mots trouvés, quatre attendus.`,
      empty: (/** @type {string} */ arrow) =>
        `${arrow}\u00a0: la flèche n’a pas de longueur, car les deux mots ont le même vecteur.`,
      plane: 'Les deux flèches, chacune depuis son origine',
      verdict: (
        /** @type {string} */ one,
        /** @type {string} */ two,
        /** @type {string} */ cosine,
        /** @type {number} */ angle,
      ) => `${one} et ${two}\u00a0: cosinus ${cosine}, un angle de ${angle}°.`,
      verdicts: {
        parallel: 'Elles sont presque parallèles\u00a0: le modèle a appris cette relation comme une direction.',
        alike:
          'Pas parallèles, mais bien plus proches que le hasard\u00a0: deux flèches qui ignorent tout l’une de ' +
          'l’autre font environ 90°.',
        not:
          'Elles ne sont pas parallèles\u00a0: ce modèle n’a pas appris cette relation comme une direction. Il est ' +
          'petit, et ses lignes lui servent à traduire\u00a0; rien dans son entraînement ne demande de telles ' +
          'flèches.',
      },
      pairs: (/** @type {string} */ list) => `Cosinus des mots eux-mêmes\u00a0: ${list}.`,
      reached: (/** @type {string} */ sum, /** @type {string} */ list) =>
        `Les plus proches de ${sum}, sans ces trois mots\u00a0: ${list}.`,
    },
    lookup: {
      title: 'Du jeton à la première couche',
      text:
        'L’identifiant d’un jeton est le numéro de sa ligne dans E. La ligne est multipliée par √d_model, ' +
        'la racine du nombre de ses composantes, pour ne pas être trop petite à côté du vecteur de la position, qui ' +
        's’y ajoute. Certains modèles omettent ce facteur, et T5 omet la position.',
      choose: 'Jeton',
      token: (/** @type {string} */ piece, /** @type {number} */ id, /** @type {number} */ at) =>
        `«\u00a0${piece}\u00a0» a l’identifiant ${id} et se trouve à la position ${at}.`,
      row: (/** @type {number} */ id) => `ligne ${id} de E`,
      scaled: (/** @type {number} */ width) => `× √${width}`,
      position: (/** @type {number} */ at) => `+ position ${at}`,
      sum: '= entrée de la couche 1',
      first: (/** @type {number} */ count) => `Les ${count} premiers nombres`,
      map: 'Tous les nombres de la ligne',
      same: 'La dernière ligne est exactement ce que le modèle a dans encoder.input.',
      differs:
        'Le modèle ajoute ici plus que des vecteurs de position\u00a0: ses propres nombres diffèrent de la ' +
        'dernière ligne.',
    },
  },

  positions: {
    title: 'La position d’un mot',
    text: [
      'L’attention regarde tous les mots à la fois et ne connaît pas leur ordre. On ajoute donc à chaque plongement ' +
        'un motif qui ne dépend que de la position\u00a0: des sinus et des cosinus, d’abord rapides, chaque paire ' +
        'plus lente que la précédente.',
      'Comme les aiguilles d’une horloge, ils distinguent les positions. Ils tournent régulièrement\u00a0: ' +
        '«\u00a0trois mots plus loin\u00a0» est donc partout la même rotation.',
    ],
    notice:
      'Les colonnes des ondes rapides changent d’une ligne à l’autre\u00a0; les plus lentes changent à peine. Les ' +
      'positions voisines se ressemblent le plus, partout dans la phrase.',
    positions: 'Positions',
    width: 'd_model',
    layout: 'Ordre des colonnes',
    layouts: {
      interleaved: 'sin, cos, sin, cos … (l’article d’origine)', halves: 'tous les sin, puis tous les cos (Marian)',
    },
    map: 'Le codage\u00a0: une ligne par position, une colonne par nombre',
    row: 'position',
    column: 'nombre',
    from: 'Comparer avec la position',
    likeness: (/** @type {number} */ p) => `Cosinus de la position ${p} et de chaque autre`,
    similarity: 'cosinus',
    wave: (/** @type {number} */ column) => `Le nombre ${column} de chaque position\u00a0: une onde`,
    learned: {
      title: 'Positions apprises et sinusoïdales',
      text:
        'Les positions peuvent aussi s’apprendre comme les mots\u00a0: une ligne par position, aléatoire au début. ' +
        'Un petit modèle les apprend ici pendant qu’il apprend à écrire des chiffres à l’envers. Comparez ce qu’il ' +
        'trouve avec les sinusoïdes.',
      start: 'Apprendre les positions',
      stop: 'Arrêter',
      go: 'Continuer',
      idle: 'Pas encore commencé. Cela prend une dizaine de secondes.',
      status: (/** @type {number} */ step, /** @type {number} */ of, /** @type {string} */ right) =>
        `Étape ${step} sur ${of}. Sans faute\u00a0: ${right}.`,
      figures: [
        ['Apprises', 'Sinusoïdales'],
        ['Cosinus de deux positions apprises', 'Cosinus de deux positions sinusoïdales'],
      ],
    },
  },

  'self-attention': {
    title: 'L’attention la plus simple',
    text: [
      'Chaque mot regarde chaque mot. Le produit scalaire de deux vecteurs dit à quel point un mot regarde ' +
        'l’autre\u00a0; la softmax transforme chaque ligne de produits en parts de somme 1\u00a0; le nouveau vecteur ' +
        'd’un mot est le mélange de tous les vecteurs selon ces parts.',
      'Il n’y a encore rien à apprendre ici\u00a0: un mot regarde les mots semblables.',
    ],
    notice:
      'x xᵀ est symétrique\u00a0: le chat ressemble au chien comme le chien au chat. Les parts ne le sont pas, car ' +
      'chaque ligne est divisée par sa propre somme.',
    words: ['le', 'chat', 'chien', 'voit'],
    x: 'x\u00a0: une ligne par mot',
    scores: 'x xᵀ\u00a0: la ressemblance',
    weights: 'softmax\u00a0: des parts, de somme 1 dans chaque ligne',
    output: 'parts × x\u00a0: les nouvelles lignes',
    two: 'Entre deux suites',
    twoText:
      'Rien n’oblige une suite à s’interroger elle-même. Ici ce sont les mots d’une autre qui demandent\u00a0: ' +
      'leurs produits avec x ne sont plus symétriques, il y a une ligne par mot qui demande, et sa nouvelle ligne ' +
      'est un mélange des lignes de x.',
    asking: ['die', 'Katze'],
    y: 'Y\u00a0: les mots qui demandent',
    otherScores: 'Y xᵀ',
    otherOutput: 'parts × x',
  },

  qkv: {
    title: 'Requête, clé, valeur',
    text: [
      'Un mot doit trouver plus que des mots semblables. Trois matrices apprises donnent donc à chaque mot trois ' +
        'vecteurs\u00a0: une requête (query\u00a0: ce que je cherche), une clé (key\u00a0: comment les autres me ' +
        'trouvent), une valeur (value\u00a0: ce que je leur transmets).',
      'Maintenant, «\u00a0dort\u00a0» peut demander un sujet, et «\u00a0chat\u00a0» peut répondre, bien qu’ils ne se ' +
        'ressemblent pas.',
    ],
    notice:
      'Modifiez W_V\u00a0: les parts restent les mêmes, et seule la sortie change. Modifiez W_Q\u00a0: les parts ' +
      'changent.',
    words: ['le', 'chat', 'dort'],
    x: 'x',
    weights: 'Parts\u00a0: la ligne regarde la colonne',
    output: 'Sortie',
    cell: (/** @type {string} */ product) =>
      `q · k\u00a0: ${product}\u00a0; divisé par √d_k, puis softmax sur la ligne`,
    picture: {
      label:
        'La requête d’un mot rencontre la clé d’un autre. Leur accord décide de la part de sa valeur dans la ' +
        'nouvelle ligne du premier.',
      query: ['requête', 'ce qu’il cherche'],
      key: ['clé', 'ce qu’il offre'],
      value: ['valeur', 'ce qu’il donne'],
      output: ['nouvelle ligne', 'ce qu’il reçoit'],
      share: 'softmax\u00a0: sa part',
      passes: 'part × v',
    },
  },

  scaled: {
    title: 'Pourquoi diviser par √d_k',
    text: [
      'Un produit scalaire de d_k nombres est une somme de d_k termes. Si chacun est de l’ordre de 1, la somme est ' +
        'de l’ordre de √d_k\u00a0: des vecteurs plus longs donnent des scores plus grands, sans que rien soit plus ' +
        'semblable.',
      'La softmax de grands nombres donne presque tout à un seul mot. Elle y est plate, et un modèle ne peut pas ' +
        'apprendre. Diviser par √d_k maintient les scores autour de 1 pour toute longueur.',
    ],
    notice:
      'Sans la division, une barre prend tout quand d_k augmente. Avec elle, les barres restent à peu près aussi ' +
      'égales qu’avant.',
    dk: 'd_k, nombres d’une requête et d’une clé',
    again: 'Tirer d’autres vecteurs',
    histogram: (/** @type {number} */ count, /** @type {number} */ dk) =>
      `${count} produits scalaires de vecteurs aléatoires de ${dk} nombres`,
    score: 'q · k',
    count: 'combien',
    spread: (/** @type {string} */ found, /** @type {string} */ root) =>
      `Leur dispersion (écart type) est ${found}\u00a0; √d_k vaut ${root}.`,
    raw: 'softmax de huit d’entre eux',
    divided: 'softmax des mêmes ÷ √d_k',
    key: (/** @type {number} */ i) => `clé ${i}`,
  },

  softmax: {
    title: 'Softmax',
    text: [
      'La softmax transforme une ligne de nombres quelconques en parts\u00a0: e élevé à la puissance de chacun, ' +
        'divisé par leur somme. Toutes sont positives, leur somme est 1, et l’ordre reste le même.',
      'Seules les différences comptent\u00a0: ajoutez 10 à chaque nombre, et rien ne change. Diviser d’abord par une ' +
        'température rend les différences plus petites (chaud, parts égales) ou plus grandes (froid, le gagnant ' +
        'prend tout).',
    ],
    notice:
      'À la température 1, deux nombres qui diffèrent de 0,69 (ln 2) ont toujours des parts dont le rapport est 2.',
    numbers: 'Nombres',
    exponentials: 'e à la puissance nombre ÷ température',
    temperature: 'Température',
    shares: 'Parts',
    sum: (/** @type {string} */ sum) => `Somme des exponentielles\u00a0: ${sum}`,
  },

  'by-hand': {
    title: 'L’attention calculée à la main',
    text: [
      'Quatre mots de six traits chacun. Trois matrices donnent des requêtes, des clés et des valeurs de trois ' +
        'nombres. Une requête dit ce qu’un mot cherche, une clé ce qu’il offre, une valeur ce qu’il donne.',
      'Tous les nombres sont petits et entiers, et vous pouvez suivre chaque étape au crayon. ⌊x/2⌋ est alors assez ' +
        'proche de x/√3, et 3 à la puissance x de e à la puissance x\u00a0: ces arrondis montrent ce qui se passe.',
    ],
    notice:
      'Les nombres arrondis changent un peu les parts, mais le mot qui reçoit le plus est presque toujours le même.',
    words: ['le', 'chat', 'aime', 'jouer'],
    x: 'X\u00a0: quatre mots, six traits',
    arithmetic: 'Nombres',
    exact: 'exacts\u00a0: x/√3 et eˣ',
    round: 'à la main\u00a0: ⌊x/2⌋ et 3ˣ',
    back: 'Retour',
    next: 'Étape suivante',
    step: (/** @type {number} */ step, /** @type {number} */ of) => `Étape ${step} sur ${of}.`,
    steps: [
      'Chaque ligne de X fois W_Q, W_K et W_V\u00a0: la requête, la clé et la valeur d’un mot.',
      'Chaque requête fois chaque clé\u00a0: à quel point ce que la ligne cherche va avec ce que la colonne offre.',
      'Divisé par √d_k = √3.',
      'e élevé à la puissance de chacun.',
      'Chaque ligne divisée par sa somme\u00a0: les parts.',
      'La nouvelle ligne de chaque mot\u00a0: les valeurs de tous les mots, pondérées par ses parts.',
    ],
    roundSteps: [
      '', '', 'La moitié de chacun, arrondie vers le bas, au lieu d’une division par √3.',
      '3 élevé à la puissance de chacun.',
    ],
    scores: 'Q Kᵀ',
    divided: 'Mis à l’échelle',
    powers: 'Puissances',
    weights: 'Parts\u00a0: la ligne regarde la colonne',
    output: 'Parts × V',
  },

  masking: {
    title: 'Ne pas regarder en avant',
    text: [
      'Le décodeur écrit de gauche à droite. À l’entraînement, il reçoit toute la bonne réponse\u00a0; il ne doit ' +
        'donc pas lire le mot qu’il doit deviner\u00a0: les scores des mots suivants sont mis à −∞.',
      'e à la puissance −∞ vaut exactement 0\u00a0: les mots masqués ne reçoivent aucune part, et la somme du reste ' +
        'de la ligne est toujours 1.',
    ],
    notice:
      'Avec le masque, modifiez un nombre au-dessus de la diagonale\u00a0: rien ne change. Le premier mot ne peut ' +
      'regarder que lui-même.',
    words: ['(début)', 'Die', 'Katze', 'schläft'],
    scores: 'Scores',
    masked: 'Après le masque',
    weights: 'Parts',
    mask: 'Masque',
    on: 'actif\u00a0: seulement les mots précédents',
    off: 'inactif\u00a0: tous les mots',
    table: {
      title: 'Le tableau d’une phrase',
      text:
        'L’auto-attention dans l’encodeur du modèle chargé. Chaque ligne est un mot, et ses parts vont aux mots ' +
        'des colonnes. Un masque d’anticipation appartient au décodeur, et cet encodeur a été entraîné sans\u00a0: ' +
        'le masque montre ce qu’il ferait de ces scores. Un masque de remplissage cache ce qui complète les ' +
        'phrases plus courtes d’un lot.',
      input: 'Phrase',
      show: 'Montrer',
      layer: 'Couche',
      head: 'Tête',
      mean: 'moyenne de toutes',
      aheadMask: 'Masque d’anticipation',
      padding: 'Remplissage',
      paddingMask: 'Masque de remplissage',
      on: 'oui',
      off: 'non',
      plain: 'Chaque mot peut regarder tous les autres.',
      ahead: 'Aucun mot ne regarde un mot suivant\u00a0: au-dessus de la diagonale, toutes les parts valent 0.',
      hidden: 'Le remplissage n’a aucune part\u00a0; le reste est exactement comme sans remplissage.',
      seen:
        'Le remplissage prend des parts aux mots\u00a0: la phrase dépend maintenant de la longueur de ses voisines.',
    },
  },

  'multi-head': {
    title: 'Plusieurs têtes',
    text: [
      'Une softmax donne un seul jeu de parts. Un mot qui cherche à la fois son sujet et son adjectif en a besoin de ' +
        'deux. Les d_model nombres sont donc répartis entre des têtes\u00a0: chacune a ses propres requêtes, clés, ' +
        'valeurs et parts.',
      'Une matrice de plus, W_O, mélange leurs sorties. Toutes les têtes ensemble ne coûtent pas plus qu’une seule ' +
        'grande tête.',
    ],
    notice:
      'Les deux têtes lisent les mêmes mots, mais leurs parts diffèrent, car chacune utilise d’autres colonnes des ' +
      'matrices.',
    words: ['le', 'chat', 'dort', 'bien'],
    heads: 'Têtes',
    x: 'x\u00a0: modifiable, d_model = 4',
    head: (/** @type {number} */ i, /** @type {number} */ from, /** @type {number} */ to) =>
      `Tête ${i}\u00a0: colonnes ${from}\u2060–\u2060${to} de W_Q, W_K et W_V`,
    output: 'Sortie',
    see: 'Voir toutes les têtes de votre propre phrase',
    weights: 'Parts',
    headOutput: 'Parts × V',
    together: 'Ensemble',
    concat: 'Toutes les têtes côte à côte',
  },

  cross: {
    title: 'D’une langue à l’autre',
    text: [
      'Le décodeur demande et l’encodeur répond\u00a0: les requêtes viennent des mots déjà écrits, les clés et les ' +
        'valeurs de la phrase source. C’est le seul chemin d’une langue à l’autre.',
      'Il y a une ligne par mot de la traduction et une colonne par mot de la source. Il n’y a pas de masque\u00a0: ' +
        'toute la source peut être lue à tout moment.',
    ],
    notice:
      'Les clés appartiennent à la source\u00a0: modifiez-en une, et toute une colonne de parts change, pour chaque ' +
      'mot cible.',
    // in English: the figure needs the adjective before its noun, as in the German target
    source: ['the', 'black', 'cat'],
    target: ['die', 'schwarze'],
    queries: 'Q\u00a0: du décodeur',
    keys: 'K\u00a0: de l’encodeur',
    values: 'V\u00a0: de l’encodeur',
    weights: 'Parts',
    output: 'La nouvelle ligne de chaque mot cible',
    real: 'Votre phrase\u00a0: attention croisée d’une tête',
    layer: 'Couche',
    head: 'Tête',
    openHint: 'Choisissez une case pour voir la somme derrière elle.',
    rows: 'lignes\u00a0: le mot en cours de prédiction\u00a0; colonnes\u00a0: la source',
  },

  ffn: {
    title: 'Le reste d’une couche',
    text: [
      'Après le mélange des mots par l’attention, un petit réseau de deux matrices traite chaque mot ' +
        'séparément\u00a0: il élargit la ligne, la fait passer par une courbe (l’activation), puis la rétrécit.',
      'Les deux ont une connexion résiduelle\u00a0: le résultat est ajouté à l’entrée, si bien qu’une couche n’a ' +
        'qu’un changement à apprendre. LayerNorm donne à chaque ligne une moyenne de 0 et une variance de 1. ' +
        'L’article d’origine l’applique après l’addition (post-norm)\u00a0; bien des modèles ultérieurs ' +
        'l’appliquent avant la sous-couche (pre-norm).',
    ],
    notice:
      'Multipliez une ligne de x par dix\u00a0: en post-norm, le résultat reste petit\u00a0; en pre-norm, la grande ' +
      'ligne passe tout droit.',
    words: ['chat', 'dort'],
    x: 'x',
    inner: 'LayerNorm(x)',
    ffn: { post: 'FFN(x)', pre: 'FFN(LayerNorm(x))' },
    added: 'x + FFN',
    result: { post: 'LayerNorm(x + FFN(x))', pre: 'x + FFN(LayerNorm(x))' },
    order: 'Norm',
    orders: { post: 'après (post-norm)', pre: 'avant (pre-norm)' },
    activation: 'Activation',
    curve: 'La courbe\u00a0: la sortie pour chaque entrée',
    input: 'entrée',
    outcome: 'sortie',
    w1: 'W_1',
    w2: 'W_2',
    gain: 'Gain de la normalisation',
    bias: 'Biais de la normalisation',
    wide: 'fois W_1, plus b_1',
    hidden: 'Couche cachée\u00a0: après l’activation',
    moments: 'Avant la normalisation',
    momentNames: ['moyenne', 'variance'],
  },

  model: {
    title: 'Le modèle entier',
    text: [
      'L’encodeur, à gauche, lit la source. Il a N couches, chacune avec une attention et un réseau feed-forward. Le ' +
        'décodeur, à droite, a une partie de plus, qui lit la sortie de l’encodeur. Il finit par une part pour ' +
        'chaque jeton du vocabulaire.',
      'Chaque boîte montre les nombres que le modèle chargé y calcule pour votre phrase.',
    ],
    notice:
      'L’entrée et la sortie de chaque couche ont la forme [mots, d_model]. On peut donc empiler les couches.',
    norm: 'Norm.',
    diagram: 'Le Transformer\u00a0: encodeur à gauche, décodeur à droite. Chaque boîte est un bouton.',
    encoder: 'Encodeur',
    decoder: 'Décodeur',
    layers: (/** @type {number} */ count) => `${count} ×`,
    boxes: {
      source: 'Jetons source',
      'encoder.embedding': 'Plongement',
      'encoder.positions': 'Positions',
      'encoder.self': 'Auto-attention',
      'encoder.norm1': 'Ajout & norm.',
      'encoder.ffn': 'Feed-forward',
      'encoder.norm2': 'Ajout & norm.',
      'encoder.output': 'Sortie encodeur',
      target: 'Cible jusqu’ici',
      'decoder.embedding': 'Plongement',
      'decoder.positions': 'Positions',
      'decoder.self': 'Attention masquée',
      'decoder.ssru': 'Unité récurrente',
      'decoder.norm1': 'Ajout & norm.',
      'decoder.cross': 'Attention croisée',
      'decoder.norm2': 'Ajout & norm.',
      'decoder.ffn': 'Feed-forward',
      'decoder.norm3': 'Ajout & norm.',
      'decoder.output': 'Sortie décodeur',
      output: 'Jeton suivant',
    },
    tensor: 'Tenseur',
    layer: 'Couche',
    head: 'Tête',
    sentence: 'Phrase\u00a0',
    shape: (/** @type {readonly number[]} */ shape) => `[${shape.join(' × ')}]`,
    range: (/** @type {string} */ low, /** @type {string} */ mean, /** @type {string} */ high) =>
      `minimum ${low}, moyenne ${mean}, maximum ${high}`,
    tokens: 'Jetons et leurs numéros dans le vocabulaire',
    fedIn: 'Une ligne porte le nom de son jeton d’entrée\u00a0; elle prédit le suivant.',
    top: 'Les cinq jetons les plus probables à chaque position',
    place: 'après',
    empty: 'Choisissez une boîte.',
    map: (/** @type {string} */ name) => `Carte de chaleur de ${name}`,
    sum: 'Choisissez une case pour voir la somme derrière elle.',
    move: 'Faites glisser ou utilisez les flèches du clavier pour déplacer, + et − pour changer l’échelle.',
    column: (/** @type {number} */ i) => `${i}`,
  },

  objective: {
    title: 'Ce que l’entraînement fait baisser',
    text: [
      'À l’entraînement, un modèle reçoit les bons mots jusqu’ici, même là où il en aurait écrit d’autres\u00a0: ' +
        'c’est le forçage par la référence (teacher forcing). Pour chaque place, il donne à chaque mot une ' +
        'probabilité. Sa perte est −log p du bon mot.',
      'Avec le lissage des étiquettes (label smoothing), on veut un peu moins de 1 pour le bon mot, et un peu pour ' +
        'tous les autres. Le modèle n’a donc pas à écarter toujours plus ses scores. Le gradient est simplement ce ' +
        'qu’il a dit moins ce qu’on voulait.',
    ],
    notice:
      'Augmentez le score du bon mot\u00a0: avec le lissage, la perte baisse, puis remonte. Être trop sûr est faux ' +
      'aussi.',
    words: ['Katze', 'Hund', 'Maus', 'Haus'],
    logits: 'Scores des mots',
    right: 'Le bon mot',
    smoothing: 'Lissage des étiquettes',
    p: 'Ce que dit le modèle',
    wanted: 'Ce qui est voulu',
    gradient: 'Gradient de chaque score\u00a0: dit − voulu',
    loss: (/** @type {string} */ loss, /** @type {string} */ p) => `Perte ${loss}. Le bon mot a p = ${p}.`,
    forced: 'Teacher forcing\u00a0: le modèle chargé et sa propre traduction',
    forcedText: 'Chaque ligne reçoit tous les mots jusqu’au sien, et doit prédire le suivant.',
    columns: ['reçu en dernier', 'à prédire', 'p', '−log p'],
    mean: (/** @type {string} */ mean) => `Perte moyenne ${mean} par jeton`,
    schedule: 'À quelle vitesse il apprend\u00a0: le taux d’apprentissage',
    warmup: 'Échauffement, en étapes',
    step: 'étape',
    rate: 'taux d’apprentissage',
    peak: (/** @type {string} */ rate, /** @type {number} */ step) =>
      `Il monte jusqu’à ${rate} à l’étape ${step}, puis baisse`,
  },

  decoding: {
    title: 'Choisir les mots',
    text: [
      'Le modèle donne des probabilités\u00a0; une recherche en fait une phrase. La recherche gloutonne prend chaque ' +
        'fois le meilleur mot suivant. La recherche en faisceau (beam search) suit plusieurs débuts à la fois, si ' +
        'bien qu’un premier mot classé second peut encore gagner.',
      'Les phrases plus longues multiplient plus de probabilités et sont donc toujours moins probables. Diviser la ' +
        'log-probabilité par la longueur à la puissance α compense cela.',
    ],
    notice:
      'Avec une largeur de 1, la recherche prend d’abord «\u00a0Un\u00a0». Avec 2, elle trouve «\u00a0Le ' +
      'chat\u00a0», plus probable dans son ensemble.',
    startWord: '(début)',
    first: ['Un', 'Le'],
    second: ['chien', 'chat'],
    end: '(fin)',
    after: (/** @type {string} */ word) => `Probabilités après ${word}`,
    afterThat: 'Probabilités après le premier mot. Les lignes sont divisées par leur somme',
    beams: 'Largeur du faisceau',
    penalty: 'Pénalité de longueur',
    step: (/** @type {number} */ step) => `Étape ${step}\u00a0: p de chaque début\u00a0; ✓ continue`,
    best: (/** @type {string} */ best, /** @type {string} */ p, /** @type {string} */ score) =>
      `Trouvé\u00a0: «\u00a0${best}\u00a0», p = ${p}, score ${score}.`,
    greedy: (/** @type {string} */ best) => `La recherche gloutonne trouve «\u00a0${best}\u00a0».`,
    see: 'Voir le faisceau de votre propre phrase',
    tree: 'L’arbre\u00a0: p de chaque début. En pointillé\u00a0: abandonné par la recherche. Épais\u00a0: trouvé',
  },

  train: {
    title: 'En entraîner un soi-même',
    text: [
      'Un Transformer de 2 + 2 couches et 64 nombres par mot part de poids aléatoires. Il n’apprend une tâche ' +
        'que par des exemples, et par l’erreur commise dans chacun.',
      'L’entraînement continue pendant que vous visitez d’autres sections. Ce qu’il a appris reste dans ce ' +
        'navigateur, même si vous fermez la page.',
    ],
    notice:
      'À mesure que la perte baisse, l’attention croisée d’une couche trouve d’où vient chaque réponse\u00a0: une ' +
      'diagonale pour les chiffres, et pour les phrases mot à mot, avec un saut là où l’allemand inverse l’ordre.',
    task: 'Tâche',
    tasks: {
      reverse: {
        name: 'Écrire des chiffres à l’envers',
        text: 'Pour écrire le premier chiffre, il doit regarder le dernier.',
        input: 'Chiffres, de 3 à 10',
        bad: (/** @type {string} */ text) =>
          `Trouvé «\u00a0${text}\u00a0»\u00a0; attendu\u00a0: de 3 à 10 chiffres de 0 à 9.`,
        rows: 'lignes\u00a0: le chiffre en train d’être écrit\u00a0; colonnes\u00a0: les chiffres lus',
        see: '',
      },
      words: {
        name: 'Traduire de petites phrases',
        text:
          'De l’anglais vers l’allemand, avec 66 mots. «\u00a0The\u00a0» a trois genres et deux cas, les adjectifs ' +
          's’accordent, et après «\u00a0today\u00a0» le verbe précède le sujet. L’essai se fait avec des phrases ' +
          'qu’il n’a jamais vues.',
        input: 'Une phrase de mots qu’il connaît',
        bad: (/** @type {string} */ text) =>
          `Trouvé «\u00a0${text}\u00a0»\u00a0; attendu\u00a0: une phrase comme «\u00a0today the young man likes a ` +
          'flower\u00a0». Articles\u00a0: the, a, an. Adjectifs\u00a0: small, old, big, young, new. Noms\u00a0: ' +
          'dog, man, bird, cat, woman, flower, child, house, book. Verbes\u00a0: sees, finds, looks for, needs, ' +
          'likes.',
        rows: 'lignes\u00a0: le mot en train d’être écrit\u00a0; colonnes\u00a0: les mots lus',
        see: 'Traduire utilise alors votre modèle, jusqu’à ce que vous choisissiez de nouveau une paire de langues.',
      },
    },
    start: 'Entraîner',
    stop: 'Arrêter',
    go: 'Continuer',
    again: 'Recommencer',
    loss: 'perte',
    steps: 'étapes',
    curve: 'Perte à chaque étape',
    map: 'Attention croisée, moyenne des têtes',
    status: (
      /** @type {number} */ step,
      /** @type {number} */ of,
      /** @type {string} */ loss,
      /** @type {string} */ right,
    ) => `Étape ${step} sur ${of}. Perte ${loss}. Sans faute\u00a0: ${right}.`,
    background: (/** @type {number} */ step, /** @type {number} */ of) => `Entraînement\u00a0: étape ${step} sur ${of}`,
    idle: 'Pas encore commencé. Cela prend d’une demi-minute à deux minutes\u00a0; la page reste utilisable.',
    unkept: 'Il n’a pas pu être enregistré dans ce navigateur, et sera perdu à la fermeture de la page.',
    finished: 'Terminé.',
    stopped: 'Arrêté.',
    failed: 'L’entraînement a échoué\u00a0:',
    oneWeight: 'Un poids pendant qu’il apprend',
    watched:
      'Le premier nombre de W_Q dans l’attention croisée de la dernière couche. Chaque étape le déplace contre ' +
      'la moyenne courante de ses gradients, divisée par la racine de la moyenne de leurs carrés\u00a0: c’est Adam.',
    watchedNow: (/** @type {string} */ weight, /** @type {string} */ gradient) =>
      `Le poids valait ${weight}, son gradient ${gradient}.`,
    weight: 'poids',
    gradient: 'gradient',
    use: 'L’essayer',
    answer: 'Sa réponse\u00a0',
    right: 'Juste.',
    wrong: (/** @type {string} */ expected) => `Faux\u00a0; il fallait ${expected}.`,
    layer: 'Couche',
    end: 'fin',
    random: (/** @type {number} */ choices, /** @type {string} */ loss) =>
      `Deviner un choix sur ${choices} a une perte de ln ${choices} = ${loss}.`,
    see: 'L’ouvrir dans Voir',
  },

  sum: {
    title: 'La somme derrière une case',
    close: 'Fermer',
    loading: 'Calcul…',
    failed: 'La somme n’a pas pu être affichée\u00a0:',
    place: (/** @type {string} */ stack, /** @type {number} */ layer, /** @type {number} */ head) =>
      `${stack}, couche ${layer}, tête ${head}`,
    stacks: {
      encoder: 'Auto-attention de l’encodeur', decoder: 'Auto-attention du décodeur', cross: 'Attention croisée',
    },
    asks: (/** @type {string} */ row, /** @type {string} */ col) =>
      `À quel point «\u00a0${row}\u00a0» regarde «\u00a0${col}\u00a0»`,
    predicts: (/** @type {string} */ piece) => `Cette ligne prédit «\u00a0${piece}\u00a0».`,
    products: 'Requête fois clé, nombre par nombre',
    query: 'q',
    key: 'k',
    product: 'q × k',
    total: 'Somme\u00a0: q · k',
    scaled: 'Divisé par √d_k',
    unscaled: 'Ce modèle ne divise pas la somme par √d_k\u00a0: ses poids ont été entraînés sans cela.',
    bias: (/** @type {number} */ distance) => `Biais de position de cette tête à la distance ${distance}`,
    biased: 'Score\u00a0: la somme des deux',
    biasNote:
      'Ce modèle n’a pas de vecteurs de position. Chaque tête ajoute au score un nombre à elle, qui ne dépend que de ' +
      'la distance entre requête et clé\u00a0; toutes les couches de ce côté le partagent.',
    masked: 'Cette clé vient après la requête\u00a0: le masque met le score à −∞ et la part à 0.',
    allowed: 'Le masque laisse passer cette clé.',
    softmax: 'Softmax sur la ligne',
    token: 'jeton',
    score: 'score',
    power: 'e^(score − max)',
    share: 'part',
    scoreOf: (/** @type {string} */ token) => `score de ${token}`,
    softmaxNote:
      'Choisissez un jeton pour voir sa propre somme. Écrivez un autre score\u00a0: les parts et la sortie suivent.',
    edited: (/** @type {string} */ map) => `Avec votre score. Dans la carte du modèle\u00a0: ${map}.`,
    again: 'Les scores du modèle',
    rowSum: 'Somme',
    values: 'Les valeurs, pondérées et additionnées',
    valuesNote:
      'De haut en bas\u00a0: le vecteur valeur de ce jeton\u00a0; ce vecteur fois sa part\u00a0; la somme sur tous ' +
      'les jetons, qui est la sortie de cette tête.',
    thisValue: 'part × v',
    mixed: 'somme',
    number: 'nombre',
    check: (/** @type {string} */ here, /** @type {string} */ map) =>
      `Calculé pas à pas\u00a0: ${here}. Dans la carte du modèle\u00a0: ${map}.`,
    differs:
      'Le dernier chiffre affiché diffère, car cette somme utilise des nombres de 64 bits et le modèle des nombres ' +
      'de 32 bits.',
    int8:
      'Ce modèle calcule en int8\u00a0: q, k et v viennent de produits de poids de 8 bits et d’activations arrondies ' +
      'à 7 bits. Les nombres ci-dessus comprennent cet arrondi. À partir d’ici (q · k, softmax et somme pondérée), ' +
      'tout est en virgule flottante de 32 bits, et les étapes concordent.',
    f32: 'Ce modèle calcule partout en virgule flottante de 32 bits.',
    hidden: (/** @type {number} */ count) =>
      `et ${count} ${count < 2 ? 'autre jeton' : 'autres jetons'} avec une part de`,
  },
};

export const about = {
  heading: 'À propos',
  lead: 'heed est un Transformer encodeur-décodeur en WebAssembly. Il traduit dans la page et montre chaque poids '
    + 'd’attention de la traduction.',
  privacy: {
    title: 'Confidentialité',
    text: [
      'Rien de ce que vous écrivez ne quitte cette page. Il n’y a derrière elle ni serveur, ni compte, ni cookie, ni '
      + 'pistage.',
      'Un lien copié de la barre d’adresse contient votre texte après le #, partie que les navigateurs n’envoient pas '
      + 'au serveur.',
      'La page télécharge ses propres fichiers et le modèle. Le navigateur garde les deux, et la page fonctionne donc '
      + 'aussi hors ligne.',
    ],
  },
  how: {
    title: 'Comment ça marche',
    text: [
      'Le cœur est écrit en C, compilé en WebAssembly avec SIMD de 128 bits, et tourne dans un worker, pour que la '
      + 'page reste réactive. Les poids sont des entiers de 8 bits.',
      'L’attention sous Voir n’est pas une approximation\u00a0: le modèle l’a calculée, pour chaque couche et chaque '
      + 'tête de l’encodeur, du décodeur et de l’attention entre les deux.',
    ],
  },
  models: {
    title: 'Modèles',
    loading: 'Lecture de la liste des modèles…',
    none: 'Cette page n’a pas de liste de modèles.',
    failed: 'La description de ce modèle n’a pas pu être lue\u00a0:',
    pair: 'Langues',
    parameters: 'Paramètres',
    size: 'Téléchargement',
    license: 'Licence',
    trained: 'Entraîné sur',
    pairs: (/** @type {string} */ n) => `${n} paires de phrases`,
    scores: 'Scores',
    state: 'État',
    provisional: 'Provisoire\u00a0: entraîné brièvement. Bon pour les phrases de tous les jours, faible pour les mots '
      + 'rares et les phrases longues.',
  },
  own: {
    title: 'Dans votre propre page',
    text: 'Copiez ce dossier sur n’importe quel serveur web, ou utilisez la bibliothèque\u00a0:',
    code: "import { Translator } from 'heed';\n\nconst translator = await Translator.create({\n"
      + "  sourceLanguage: 'en', targetLanguage: 'de', models: 'models/index.json',\n});\n"
      + "await translator.translate('The house is small.');",
    codeLabel: 'Exemple',
    docs: 'Guides, référence et exemples',
  },
};
