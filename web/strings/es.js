// es.js - all texts of the page in Español; see ../strings.js.

/** Begins a label with a capital, because names of languages have none in Spanish. @param {string} text */
const capital = (text) => text && text[0].toUpperCase() + text.slice(1);

export const shell = {
  title: 'heed',
  tabs: { translate: 'Traducir', see: 'Ver', learn: 'Aprender', about: 'Acerca de' },
  nav: 'Secciones',
  skip: 'Ir al contenido',
  toDark: 'Cambiar a colores oscuros',
  toLight: 'Cambiar a colores claros',
  status: {
    empty: 'Ningún modelo cargado',
    loading: (/** @type {number} */ percent) => `Cargando el modelo, ${percent}\u00a0%`,
    ready: 'Listo',
    failed: 'No se pudo cargar el modelo',
  },
  progress: 'Descarga del modelo',
  roomFailed: 'No se pudo abrir esta sección.',
  roomLoading: 'Abriendo…',
  retry: 'Reintentar',
  language: 'Idioma de la página',
  pair: 'Idiomas de la traducción',
  from: 'Traducir de',
  to: 'Traducir a',
  swap: 'Intercambiar los idiomas',
  noSwap: 'No hay modelo para el sentido contrario',
  own: 'modelo propio',
};

export const translate = {
  heading: 'Traducir',
  lead: 'Escriba un texto y lea su traducción. El modelo se ejecuta en esta página y el texto no sale de aquí.',
  source: (/** @type {string} */ language) => capital(language) || 'Texto',
  target: (/** @type {string} */ language) => capital(language) || 'Traducción',
  sourceLabel: 'Texto que se traduce',
  targetLabel: 'Traducción',
  placeholder: 'Escriba o pegue algo…',
  waiting: 'La traducción aparece aquí.',
  clear: 'Borrar',
  copy: 'Copiar',
  copied: 'Copiado',
  copyFailed: 'El navegador no permite copiar. Seleccione el texto y cópielo a mano.',
  undo: 'Deshacer',
  nothing: 'El modelo no responde nada a este texto.',
  downloading: (/** @type {string} */ loaded, /** @type {string} */ total) =>
    `Descargando el modelo, una sola vez: ${loaded} de ${total}.`,
  done: (/** @type {number} */ count, /** @type {number} */ total) =>
    `${count} de ${total} ${total === 1 ? 'frase' : 'frases'}`,
  size: (/** @type {number} */ characters) =>
    `${characters.toLocaleString('es')} ${characters === 1 ? 'carácter' : 'caracteres'}`,
  looksLike: (/** @type {string} */ language) => `El texto parece estar en ${language}.`,
  translateFrom: (/** @type {string} */ from, /** @type {string} */ to) => `Traducir del ${from} al ${to}`,
  limits: 'Un modelo pequeño: bueno con frases cotidianas, flojo con palabras raras y frases largas. Las palabras '
    + 'subrayadas son dudosas. Apunte a una palabra para ver de dónde viene; pulse en ella para ver qué otra cosa '
    + 'podría ser.',
  alternatives: 'Qué más podría ir aquí',
  sure: (/** @type {number} */ percent) => `es correcto con una probabilidad del ${percent}\u00a0%.`,
  searching: 'Buscando…',
  noAlternatives: 'El modelo no tiene otras palabras para este lugar.',
  twoModels: 'Dos modelos traducen este par: no ofrecen otras palabras.',
  examples: 'Probar',
  beams: 'Búsqueda más amplia',
  beamsHint: 'Seguir cuatro traducciones a la vez y mostrarlas. Más lento, pero a veces algo mejor.',
  see: 'Ver su atención',
  candidates: 'Las mejores traducciones de la búsqueda',
  candidatesOf: (/** @type {number} */ i) => `Frase ${i}`,
  score: 'log-probabilidad con la penalización por longitud',
  probability: (/** @type {string} */ share) => `${share} del total de estas`,
  speed: (/** @type {number} */ tokens, /** @type {string} */ time, /** @type {string} */ rate) =>
    `${tokens} tokens en ${time}, ${rate} tokens/s`,
  memory: (/** @type {string} */ weights, /** @type {string} */ memory) => `pesos ${weights}, memoria ${memory}`,
  where: (/** @type {boolean} */ worker) => (worker ? 'en un worker' : 'en la página'),
  failed: 'No se pudo traducir este texto.',
  loadFailed: 'No se pudo cargar el modelo.',
  help: {
    NetworkError: 'Compruebe la conexión o la dirección y vuelva a intentarlo.',
    QuotaExceededError: 'El navegador no tiene espacio para el modelo. Cierre otras pestañas y vuelva a intentarlo.',
    NotSupportedError: 'Elija otros idiomas u otro modelo, o use un navegador más reciente.',
    file: 'Falta un archivo del modelo o está dañado. Descargue de nuevo el modelo o elija otro.',
    other: 'Vuelva a intentarlo; si no sirve, recargue la página.',
  },
  retry: 'Reintentar',
  terms: {
    title: 'Glosario',
    text: 'Un término y su traducción en cada línea. Las traducciones los contienen exactamente así.',
    hint: 'router = Datenverteiler',
    wrong: (/** @type {number[]} */ lines) =>
      `${lines.length === 1 ? 'Línea' : 'Líneas'} ${lines.join(', ')}: se esperaba término = traducción.`,
    count: (/** @type {number} */ n) => (n === 0 ? '' : `${n} ${n === 1 ? 'término' : 'términos'}`),
    lost: (/** @type {string[]} */ terms) => `El modelo no pudo colocar: ${terms.join(', ')}.`,
  },
  own: {
    title: 'Usar un modelo propio',
    text: 'Cualquier directorio de MarianMT (OPUS-MT): config.json, vocab.json, source.spm, target.spm y los pesos en '
      + 'model.safetensors o pytorch_model.bin. O los archivos de uno de los modelos de Firefox: model.….bin y '
      + 'vocab.….spm. Los archivos no salen de este navegador.',
    drop: 'Suelte aquí los archivos o la carpeta',
    files: 'Elegir archivos',
    folder: 'Elegir una carpeta',
    url: 'Dirección del directorio',
    urlHint: 'https://…',
    from: 'De',
    to: 'A',
    languageHint: 'códigos de idioma como en y de, si el modelo no nombra sus idiomas',
    load: 'Cargar',
    several: (/** @type {string[]} */ folders) => `Son varios modelos: ${folders.join(', ')}. Elija una sola carpeta.`,
    missing: (/** @type {string[]} */ names) => `Faltan archivos: ${names.join(', ')}.`,
    badUrl: 'No es una dirección https.',
  },
};

export const see = {
  heading: 'Ver',
  views: {
    heads: 'Cabezas', flow: 'Recorrido', matrix: 'Matriz', neuron: 'Consulta y claves', layers: 'Capas',
    gates: 'Puertas', alignment: 'Alineación', occlusion: 'Quitar una palabra', ablation: 'Desactivar cabezas',
    beam: 'Haz',
  },
  attention: 'Atención: para cada token que escribe, el modelo mira todos los demás y toma más de los que más '
    + 'importan. Las proporciones suman 1.',
  chapter: 'Cómo se calcula',
  viewsLabel: 'Vistas',
  text: 'Texto',
  translate: 'Traducir',
  sentence: 'Frase',
  model: 'Modelo',
  noModel: 'No hay ningún modelo cargado. Cargue uno en Traducir.',
  loadFailed: 'No se pudo cargar el modelo.',
  retry: 'Reintentar',
  noText: 'Escriba una frase arriba para ver aquí su atención.',
  loading: 'Esperando al modelo…',
  running: 'Traduciendo…',
  failed: 'No se pudo traducir este texto:',
  viewFailed: 'No se pudo mostrar esta vista:',
  candidates: (/** @type {number} */ n, /** @type {number} */ of) =>
    `El modelo tiene una lista corta: de sus ${of} tokens solo se calcularon los ${n} que esta frase selecciona. `
    + 'Los demás no tienen probabilidad aquí.',
  export: 'Guardar como',
  exportOf: (/** @type {string} */ kind) => `Guardar como ${kind}`,
  exportFailed: 'No se pudo crear el archivo:',
  onlyWords: 'Sin </s> ni idioma',
  start: '(inicio)',
  stack: 'Atención',
  stacks: { encoder: 'Codificador', cross: 'Del codificador al descodificador', decoder: 'Descodificador' },
  shortStacks: { encoder: 'codificador', cross: 'cruzada', decoder: 'descodificador' },
  layer: 'Capa',
  head: 'Cabeza',
  heads: 'Cabezas',
  place: (/** @type {string} */ stack, /** @type {number} */ layer, /** @type {number} */ head) =>
    `${stack}, capa ${layer}, cabeza ${head}`,

  headsView: {
    choose: 'Elegir atención, capa y cabezas',
    lead: 'Cada línea va de un token a otro al que atiende. Una línea más intensa es un peso mayor. '
      + 'Apunte a un token, o llegue a él con las flechas del teclado, para ver solo sus líneas.',
    sides: {
      encoder: ['Token de origen', 'atiende a'], decoder: ['Entrada', 'atiende a'],
      cross: ['Destino, según se predice', 'atiende al origen'],
    },
    all: 'Todas', none: 'Ninguna',
    threshold: 'Líneas desde',
    clearest: 'La más clara',
    clearestHint: 'La cabeza que mira con más decisión unas pocas palabras',
    attends: (/** @type {string} */ token, /** @type {string} */ list) => `${token} atiende a ${list}`,
    attended: (/** @type {string} */ token, /** @type {string} */ list) => `${token} recibe atención de ${list}`,
    mean: 'Los números son la media de las cabezas elegidas.',
  },
  matrixView: {
    lead: {
      encoder: 'Cada fila es un token de origen y muestra cómo reparte su atención entre todos los tokens de origen.',
      decoder: 'Cada fila es un paso del descodificador: token predicho ← token de entrada. '
        + 'Solo ve los tokens anteriores.',
      cross: 'Cada fila es un paso del descodificador: token predicho ← token de entrada. '
        + 'Muestra cómo reparte el paso su atención entre los tokens de origen.',
    },
    help: 'Las flechas llevan a otra celda. Intro o un clic muestra la suma que hay detrás. Más y menos cambian el '
      + 'tamaño; con dos dedos se amplía y se mueve.',
    label: (/** @type {string} */ place) => `Pesos de atención, ${place}`,
    zoomIn: 'Ampliar', zoomOut: 'Reducir', fit: 'Ajustar',
    weight: (/** @type {string} */ w) => `peso ${w}`,
    predicts: (/** @type {string} */ token) => `predice ${token}`,
    fed: (/** @type {string} */ token) => `entrada ${token}`,
    to: (/** @type {string} */ token) => `atiende a ${token}`,
    of: (/** @type {string} */ token) => `token ${token}`,
    table: 'Como tabla de números',
    part: (/** @type {string} */ rows, /** @type {string} */ cols) => `filas ${rows}, columnas ${cols}`,
    range: (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ of) =>
      `${from} a ${to} de ${of}`,
    up: 'Filas anteriores', down: 'Filas siguientes', left: 'Columnas anteriores', right: 'Columnas siguientes',
    row: 'token',
  },
  neuronView: {
    lead: 'Un token pregunta con su consulta y cada token responde con su clave. Su producto, número a número y '
      + 'sumado, es la puntuación; softmax convierte las puntuaciones en proporciones.',
    query: 'Consulta de',
    token: 'Token',
    key: 'clave k',
    ownQuery: 'consulta q',
    products: 'q \u00d7 k',
    score: (/** @type {number} */ size) => `suma / \u221a${size}`,
    unscaled: 'suma',
    bias: 'sesgo de posición',
    queryOf: (/** @type {string} */ token) => `Consulta de ${token}`,
    keyOf: (/** @type {string} */ token) => `Clave de ${token}`,
    productsOf: (/** @type {string} */ token) => `Consulta por clave de ${token}`,
    negative: 'negativo',
    positive: 'positivo',
    masked: 'Los tokens que aún no están escritos están enmascarados: su puntuación es \u2212\u221e.',
  },
  flowView: {
    lead: 'Todo el recorrido del texto al token siguiente, con los números del modelo.',
    written: 'Escrito hasta ahora:',
    open: (/** @type {string} */ step) => `Abrir ${step}`,
    all: 'Abrir todo',
    none: 'Cerrar todo',
    again: 'Otra vez desde el principio',
    write: (/** @type {string} */ token) => `Escribir «${token}» y seguir`,
    tokens: 'Tokens',
    tokensNote: 'El texto se corta en trozos que el modelo conoce.',
    embedding: 'Vectores',
    embeddingNote: (/** @type {number} */ width) =>
      `Cada token se convierte en ${width} números: su fila de la tabla de vectores.`,
    timesNote: (/** @type {number} */ width) => `Todos se multiplican por \u221a${width}.`,
    positionNote: 'Se le suma su posición.',
    normedNote: 'Después se normaliza cada fila.',
    distanceNote: 'La posición no se suma: la atención suma a cada puntuación un número que depende de la distancia entre los '
      + 'dos tokens.',
    distances: 'sumado a las puntuaciones, por distancia; una fila por cabeza',
    vectors: 'una fila por token',
    encoderLayer: (/** @type {number} */ n) => `Codificador, capa ${n}`,
    encoderNote: 'La atención mezcla los tokens y suma a cada fila lo que encuentra; la red feed-forward suma lo que '
      + 'hace de cada fila por separado.',
    mean: 'atención, media de las cabezas',
    adds: 'la atención suma',
    thinks: 'la red feed-forward suma',
    memory: 'La frase como la ve el descodificador',
    memoryNote: 'Estas filas son las claves y los valores de cada paso.',
    fed: 'Lo escrito hasta ahora',
    fedNote: 'El descodificador recibe sus propios tokens. El último pide el siguiente.',
    decoderLayer: (/** @type {number} */ n) => `Descodificador, capa ${n}`,
    decoderNote: 'Cada cabeza mira lo escrito y después el texto de origen.',
    vector: 'Un vector',
    vectorNote: (/** @type {number} */ width) =>
      `Todo lo que cuenta para el token siguiente está en estos ${width} números.`,
    logits: 'Logits y softmax',
    tiedNote: 'El vector por cada fila de la tabla de vectores da un logit por token.',
    ownNote: 'El vector por cada fila de una matriz propia da un logit por token.',
    dividedNote: (/** @type {number} */ width) => `Antes, el vector se divide por \u221a${width}.`,
    softmaxNote: 'Softmax de los logits, divididos por la temperatura, da probabilidades.',
    givenNote: 'Este token está dado, no elegido: indica el idioma de la traducción.',
    temperature: 'Temperatura',
  },
  layersView: {
    lead: 'Todas las cabezas de todas las capas de un vistazo. Elija una para abrirla en Matriz.',
    open: (/** @type {number} */ layer, /** @type {number} */ head) => `Abrir capa ${layer}, cabeza ${head}`,
    layer: (/** @type {number} */ layer) => `Capa ${layer}`,
    head: (/** @type {number} */ head) => `Cabeza ${head}`,
  },
  gatesView: {
    lead: 'El descodificador de este modelo no tiene autoatención. Recuerda los tokens anteriores en una fila de '
      + 'números, su memoria. Cada fila es aquí un paso: token predicho ← token de entrada; cada columna es un número '
      + 'de la memoria. Cuanto más intenso es el color, más se conserva del número antiguo; el resto se sustituye por '
      + 'uno nuevo, hecho de la entrada.',
    first: 'En el primer paso la memoria está vacía: lo que se conserva es 0.',
    label: (/** @type {number} */ layer) => `Proporción de la memoria que conserva cada paso, capa ${layer}`,
    dimension: (/** @type {number} */ i) => `número ${i}`,
    keeps: (/** @type {string} */ share) => `conserva ${share}`,
    candidate: (/** @type {string} */ x) => `nuevo: ${x}`,
    cell: (/** @type {string} */ before, /** @type {string} */ after) => `memoria: ${before} → ${after}`,
    mean: (/** @type {string} */ share) => `Por término medio, un paso conserva el ${share} de un número.`,
    zoomIn: 'Ampliar', zoomOut: 'Reducir', fit: 'Ajustar',
  },
  alignmentView: {
    lead: 'Apunte a una palabra, tóquela o llegue a ella con las flechas del teclado: '
      + 'se marcan sus correspondencias en el otro texto.',
    from: 'Atención cruzada de',
    mean: 'todas las capas y cabezas, media',
    source: 'Origen', target: 'Traducción',
    targetTo: (/** @type {string} */ word, /** @type {string} */ list) => `«${word}» atendió a ${list}`,
    sourceTo: (/** @type {string} */ word, /** @type {string} */ list) => `«${word}» recibió atención de ${list}`,
    nothing: 'nada en particular',
    choose: 'Ninguna palabra elegida.',
    note: 'Los números son proporciones de la atención de la palabra de la traducción. '
      + 'El resto está por debajo del 2\u00a0% en cada caso, o en el final de la frase.',
  },
  occlusionView: {
    lead: '¿Qué aporta cada palabra del original? Elija una: se quita y la frase se traduce de nuevo.',
    leaveOut: (/** @type {string} */ word) => `Quitar «${word}»`,
    nothing: 'No se ha quitado ninguna palabra.',
    same: 'La traducción no cambia.',
    differs: 'La traducción cambia.',
    measuring: (/** @type {number} */ done, /** @type {number} */ of) => `${done} de ${of} palabras`,
    legend: 'Números: cambio de la log-probabilidad de un token de esta traducción cuando se quita la palabra de '
      + 'arriba.',
  },
  ablationView: {
    lead: 'Desactive cabezas: su salida pasa a ser cero y la frase se traduce de nuevo.',
    reset: 'Activar todas',
    measure: '¿Qué cabeza importa más?',
    measureHint: 'Desactiva las cabezas una a una y mide cuánto menos probable resulta la traducción.',
    stop: 'Detener',
    measuring: (/** @type {number} */ done, /** @type {number} */ of) => `${done} de ${of} cabezas`,
    original: 'Con todas las cabezas',
    changed: (/** @type {number} */ n) => `Con ${n} ${n === 1 ? 'cabeza desactivada' : 'cabezas desactivadas'}`,
    same: 'La traducción no cambia.',
    differs: 'La traducción cambia.',
    score: 'log-probabilidad',
    delta: (/** @type {string} */ d) => `cambio ${d}`,
    oldScore: 'La traducción original, según el modelo sin estas cabezas',
    running: 'Traduciendo…',
    nothing: 'Todas las cabezas están activas.',
    most: 'Las cabezas que más necesita esta traducción',
    rank: (/** @type {string} */ place, /** @type {string} */ d) => `${place}: ${d}`,
    legend: 'Números: cambio de la log-probabilidad de esta traducción cuando solo esa cabeza está desactivada.',
  },
  beamView: {
    lead: 'La búsqueda en haz sigue varias traducciones a la vez y conserva las mejores.',
    beams: 'Haces',
    best: 'mejor', finished: 'terminada', pruned: 'descartada',
    tree: 'Árbol de hipótesis',
    treeHelp: 'Flechas del teclado: → al paso siguiente, ← atrás, ↑ ↓ a las vecinas. '
      + 'Tenue: descartada enseguida. Negrita: la ganadora.',
    node: (/** @type {string} */ piece, /** @type {string} */ own, /** @type {string} */ sum,
      /** @type {string} */ states) =>
      `${piece}: log-probabilidad ${own}, suma hasta aquí ${sum}${states && `, ${states}`}`,
    list: 'Resultados de la búsqueda',
    listHelp: 'Primero el mejor, según la puntuación: la suma de las log-probabilidades de los tokens, dividida por su '
      + 'número elevado a la penalización por longitud, que es 1 si el modelo no indica otra. Detrás está la suma.',
    tokens: 'La ganadora, token a token',
    piece: 'Token', logProb: 'log-probabilidad', probability: 'probabilidad', sum: 'suma',
    noTree: 'Este modelo no comunica los pasos de su búsqueda, así que solo se muestran los resultados.',
    running: 'Buscando…',
  },
};

export const learn = {
  title: 'Aprender',
  lead:
    'Quince capítulos breves, de una palabra a un Transformer completo. Las figuras se calculan de nuevo cada vez ' +
    'que se cambia un número, con el mismo código que traduce.',
  contents: 'Capítulos',
  chapter: (/** @type {number} */ number, /** @type {number} */ of) => `Capítulo ${number} de ${of}`,
  previous: 'Anterior',
  next: 'Siguiente',
  notice: 'Observe',
  failed: 'No se pudo mostrar este capítulo:',
  loading: 'Cargando…',
  needsModel: 'Esta figura muestra el modelo de traducción. Cargue uno en Traducir.',
  needsInspect: 'El modelo cargado no se puede inspeccionar aquí.',
  example: 'My sister lives in a small house near the station because she works there.',
  edit: 'Se puede cambiar cada número con marco: escriba otro o use las flechas ↑ y ↓.',
  reset: 'Restablecer los números',
  point:
    'Señale una celda o vaya a ella con las flechas: su fila y su columna se iluminan, y aquí se escribe su cálculo.',
  startToken: '(inicio)',

  embeddings: {
    title: 'Palabras como vectores',
    text: [
      'Un Transformer no sabe leer. Busca cada token en una tabla con una fila de números por cada entrada de su ' +
        'vocabulario: el embedding. Nadie escribió estas filas; se aprenden con todo lo demás.',
      'Las palabras que se usan de forma parecida reciben filas que apuntan en direcciones parecidas. La semejanza ' +
        'de dos direcciones es el coseno del ángulo que forman: 1 si la dirección es la misma, 0 si el ángulo es ' +
        'recto, −1 si son opuestas.',
    ],
    notice:
      'Para el coseno solo cuenta la dirección de un vector, no su longitud: si se duplica una fila, nada cambia.',
    vectors: 'Tres palabras, dos números cada una',
    similarity: 'Coseno de cada par',
    plane: 'Los tres vectores como flechas en un plano',
    names: ['gato', 'perro', 'coche'],
    real: 'Lo mismo con el modelo cargado',
    words: 'Palabras, separadas por espacios',
    wordsStart: 'Monday Friday mother father three four was were',
    compare: 'Comparar',
    near: 'Palabras del vocabulario más cercanas a',
    pieces: (/** @type {string} */ word, /** @type {string[]} */ pieces) =>
      `«${word}» son ${pieces.length} tokens (${pieces.join(' + ')}); esta es la media de sus filas.`,
    size: (/** @type {number} */ rows, /** @type {number} */ cols) =>
      `La tabla tiene ${rows} filas de ${cols} números.`,
    busy: 'Comparando con todo el vocabulario…',
    arrows: {
      title: '¿Es una relación una dirección?',
      text:
        'Si «man» difiere de «woman» como «king» de «queen», las flechas entre sus vectores son paralelas. Aquí ' +
        'todos los vectores tienen longitud 1, y las dos flechas se dibujan en el plano en el que están, así que ' +
        'longitudes y ángulo son exactos.',
      arrow: (/** @type {string} */ one, /** @type {string} */ two) => `${one}, ${two}`,
      choose: 'Flechas',
      words: 'Propias: de, a, de, a',
      draw: 'Dibujar',
      four: (/** @type {number} */ count) => `${count} palabras encontradas; se esperaban cuatro.`,
      empty: (/** @type {string} */ arrow) =>
        `${arrow}: la flecha no tiene longitud, porque ambas palabras tienen el mismo vector.`,
      plane: 'Las dos flechas, cada una desde su origen',
      verdict: (
        /** @type {string} */ one,
        /** @type {string} */ two,
        /** @type {string} */ cosine,
        /** @type {number} */ angle,
      ) => `${one} y ${two}: coseno ${cosine}, un ángulo de ${angle}°.`,
      verdicts: {
        parallel: 'Son casi paralelas: el modelo ha aprendido esta relación como una dirección.',
        alike:
          'No son paralelas, pero están mucho más cerca que por azar: dos flechas que no saben nada una de otra ' +
          'forman unos 90°.',
        not:
          'No son paralelas: este modelo no ha aprendido esta relación como una dirección. Es pequeño y necesita ' +
          'sus filas para traducir; nada en su entrenamiento pide tales flechas.',
      },
      pairs: (/** @type {string} */ list) => `Cosenos de las propias palabras: ${list}.`,
      reached: (/** @type {string} */ sum, /** @type {string} */ list) =>
        `Lo más cercano a ${sum}, sin estas tres palabras: ${list}.`,
    },
    lookup: {
      title: 'Del token a la primera capa',
      text:
        'El id de un token es el número de su fila en E. La fila se multiplica por √d_model, la raíz de su ' +
        'número de componentes, para que no sea demasiado pequeña junto al vector de la posición, que se le suma. ' +
        'Algunos modelos omiten el factor, y T5 omite la posición.',
      choose: 'Token',
      token: (/** @type {string} */ piece, /** @type {number} */ id, /** @type {number} */ at) =>
        `«${piece}» tiene el id ${id} y está en la posición ${at}.`,
      row: (/** @type {number} */ id) => `fila ${id} de E`,
      scaled: (/** @type {number} */ width) => `× √${width}`,
      position: (/** @type {number} */ at) => `+ posición ${at}`,
      sum: '= entrada de la capa 1',
      first: (/** @type {number} */ count) => `Los primeros ${count} números`,
      map: 'Todos los números de la fila',
      same: 'La última fila es exactamente lo que el modelo tiene en encoder.input.',
      differs: 'El modelo suma aquí más que vectores de posición: sus propios números difieren de la última fila.',
    },
  },

  positions: {
    title: 'La posición de una palabra',
    text: [
      'La atención mira todas las palabras a la vez y no conoce su orden. Por eso se suma a cada embedding un patrón ' +
        'que solo depende de la posición: senos y cosenos, primero los rápidos, cada par más lento que el anterior.',
      'Como las agujas de un reloj, distinguen posiciones. Giran de manera uniforme, así que «tres palabras más ' +
        'adelante» es la misma rotación en todas partes.',
    ],
    notice:
      'Las columnas de ondas rápidas cambian de fila en fila; las más lentas apenas cambian. Las posiciones vecinas ' +
      'son las más parecidas, en cualquier lugar de la frase.',
    positions: 'Posiciones',
    width: 'd_model',
    layout: 'Orden de las columnas',
    layouts: { interleaved: 'sen, cos, sen, cos… (el artículo)', halves: 'todos los sen, luego los cos (Marian)' },
    map: 'La codificación: una fila por posición, una columna por número',
    row: 'posición',
    column: 'número',
    from: 'Comparar con la posición',
    likeness: (/** @type {number} */ p) => `Coseno de la posición ${p} y cada una de las demás`,
    similarity: 'coseno',
    wave: (/** @type {number} */ column) => `El número ${column} de cada posición: una onda`,
    learned: {
      title: 'Posiciones aprendidas y sinusoidales',
      text:
        'Las posiciones también se pueden aprender como las palabras: una fila por posición, al azar al principio. ' +
        'Un modelo pequeño las aprende aquí mientras aprende a escribir cifras al revés. Compare lo que encuentra ' +
        'con las sinusoides.',
      start: 'Aprender posiciones',
      stop: 'Parar',
      go: 'Continuar',
      idle: 'Sin empezar. Tarda unos diez segundos.',
      status: (/** @type {number} */ step, /** @type {number} */ of, /** @type {string} */ right) =>
        `Paso ${step} de ${of}. Sin errores: ${right}.`,
      figures: [
        ['Aprendidas', 'Sinusoidales'],
        ['Coseno de dos posiciones aprendidas', 'Coseno de dos posiciones sinusoidales'],
      ],
    },
  },

  'self-attention': {
    title: 'La atención en su forma más simple',
    text: [
      'Cada palabra mira a todas las palabras. El producto escalar de dos vectores dice cuánto mira una palabra a la ' +
        'otra; la softmax convierte cada fila de productos en proporciones que suman 1; el vector nuevo de una ' +
        'palabra es la mezcla de todos los vectores con esas proporciones.',
      'Aquí todavía no hay nada que aprender: una palabra mira a las que se le parecen.',
    ],
    notice:
      'x xᵀ es simétrica: el gato se parece al perro como el perro al gato. Las proporciones no lo son, porque ' +
      'cada fila se divide por su propia suma.',
    words: ['el', 'gato', 'perro', 've'],
    x: 'x: una fila por palabra',
    scores: 'x xᵀ: cuánto se parecen',
    weights: 'softmax: proporciones, cada fila suma 1',
    output: 'proporciones × x: las filas nuevas',
    two: 'Entre dos secuencias',
    twoText:
      'Nada obliga a una secuencia a preguntarse a sí misma. Aquí preguntan las palabras de otra: sus productos ' +
      'con x ya no son simétricos, hay una fila por palabra que pregunta, y su fila nueva es una mezcla de filas ' +
      'de x.',
    asking: ['die', 'Katze'],
    y: 'Y: las palabras que preguntan',
    otherScores: 'Y xᵀ',
    otherOutput: 'proporciones × x',
  },

  qkv: {
    title: 'Consulta, clave y valor',
    text: [
      'Una palabra debe encontrar algo más que palabras parecidas. Por eso tres matrices aprendidas dan a cada ' +
        'palabra tres vectores: una consulta (query, Q: qué busco), una clave (key, K: cómo me encuentran) y un ' +
        'valor (value, V: qué les transmito).',
      'Ahora «duerme» puede preguntar por un sujeto y «gato» puede responder, aunque no se parezcan.',
    ],
    notice:
      'Si se cambia W_V, las proporciones no varían y solo cambia la salida. Si se cambia W_Q, cambian las ' +
      'proporciones.',
    words: ['el', 'gato', 'duerme'],
    x: 'x',
    weights: 'Proporciones: la fila mira a la columna',
    output: 'Salida',
    cell: (/** @type {string} */ product) => `q · k: ${product}; dividido por √d_k, y softmax sobre la fila`,
    picture: {
      label:
        'La consulta de una palabra encuentra la clave de otra. Lo bien que encajan decide la proporción de su ' +
        'valor en la fila nueva de la primera.',
      query: ['consulta', 'lo que busca'],
      key: ['clave', 'lo que ofrece'],
      value: ['valor', 'lo que da'],
      output: ['fila nueva', 'lo que recibe'],
      share: 'softmax: su proporción',
      passes: 'parte × v',
    },
  },

  scaled: {
    title: 'Por qué se divide por √d_k',
    text: [
      'Un producto escalar de d_k números es una suma de d_k términos. Si cada uno es del orden de 1, la suma es del ' +
        'orden de √d_k: vectores más largos dan puntuaciones mayores, aunque nada se parezca más.',
      'La softmax de números grandes lo da casi todo a una palabra. Ahí es plana, y un modelo no puede aprender. ' +
        'Dividir por √d_k mantiene las puntuaciones en el orden de 1 con cualquier longitud.',
    ],
    notice:
      'Sin la división, una barra se lo lleva todo al crecer d_k. Con ella, las barras siguen más o menos tan ' +
      'igualadas como antes.',
    dk: 'd_k, números de una consulta y de una clave',
    again: 'Sortear otros vectores',
    histogram: (/** @type {number} */ count, /** @type {number} */ dk) =>
      `${count} productos escalares de vectores aleatorios de ${dk} números`,
    score: 'q · k',
    count: 'cuántos',
    spread: (/** @type {string} */ found, /** @type {string} */ root) =>
      `Su dispersión (desviación típica) es ${found}; √d_k es ${root}.`,
    raw: 'softmax de ocho de ellos',
    divided: 'softmax de los mismos ÷ √d_k',
    key: (/** @type {number} */ i) => `k ${i}`,
  },

  softmax: {
    title: 'Softmax',
    text: [
      'La softmax convierte cualquier fila de números en proporciones: e elevado a cada uno, dividido por la suma de ' +
        'todos. Son positivas, suman 1 y el orden se mantiene.',
      'Solo cuentan las diferencias: si se suma 10 a cada número, nada cambia. Dividir antes por una temperatura ' +
        'hace las diferencias menores (caliente, proporciones igualadas) o mayores (fría, la mayor se lo lleva todo).',
    ],
    notice:
      'Con temperatura 1, dos números que difieren en 0,69 (ln 2) tienen siempre proporciones que difieren en un ' +
      'factor de 2.',
    numbers: 'Números',
    exponentials: 'e elevado a número ÷ temperatura',
    temperature: 'Temperatura',
    shares: 'Proporciones',
    sum: (/** @type {string} */ sum) => `Suma de las exponenciales: ${sum}`,
  },

  'by-hand': {
    title: 'La atención calculada a mano',
    text: [
      'Cuatro palabras con seis rasgos cada una. Tres matrices forman consultas, claves y valores de tres números. ' +
        'Una consulta dice qué busca una palabra; una clave, qué ofrece; un valor, qué da.',
      'Todos los números son pequeños y enteros, así que se puede seguir cada paso con un lápiz. Entonces ⌊x/2⌋ se ' +
        'acerca lo bastante a x/√3, y 3 elevado a x, a e elevado a x: ambos números redondos muestran lo que ocurre.',
    ],
    notice:
      'Los números redondeados cambian un poco las proporciones, pero la palabra que más recibe es casi siempre la ' +
      'misma.',
    words: ['el', 'gato', 'bebe', 'leche'],
    x: 'X: cuatro palabras, seis rasgos',
    arithmetic: 'Números',
    exact: 'exactos: x/√3 y eˣ',
    round: 'a mano: ⌊x/2⌋ y 3ˣ',
    back: 'Atrás',
    next: 'Paso siguiente',
    step: (/** @type {number} */ step, /** @type {number} */ of) => `Paso ${step} de ${of}.`,
    steps: [
      'Cada fila de X por W_Q, W_K y W_V: la consulta, la clave y el valor de una palabra.',
      'Cada consulta por cada clave: cómo encaja lo que busca la fila con lo que ofrece la columna.',
      'Dividido por √d_k = √3.',
      'e elevado a cada número.',
      'Cada fila dividida por su suma: las proporciones.',
      'La fila nueva de cada palabra: los valores de todas las palabras, ponderados con sus proporciones.',
    ],
    roundSteps: [
      '', '', 'La mitad de cada número, redondeada hacia abajo, en lugar de dividir por √3.',
      '3 elevado a cada número.',
    ],
    scores: 'Q Kᵀ',
    divided: 'Escaladas',
    powers: 'Potencias',
    weights: 'Proporciones: la fila mira a la columna',
    output: 'Proporciones × V',
  },

  masking: {
    title: 'Sin mirar adelante',
    text: [
      'El descodificador escribe de izquierda a derecha. En el entrenamiento recibe toda la respuesta correcta, así ' +
        'que no debe leer la palabra que tiene que adivinar: las puntuaciones de las palabras posteriores se ponen a ' +
        '−∞.',
      'e elevado a −∞ es exactamente 0, así que las palabras enmascaradas no reciben nada y el resto de la fila ' +
        'sigue sumando 1.',
    ],
    notice:
      'Con la máscara activada, cambiar un número por encima de la diagonal no cambia nada. La primera palabra solo ' +
      'puede mirarse a sí misma.',
    words: ['(inicio)', 'Die', 'Katze', 'schläft'],
    scores: 'Puntuaciones',
    masked: 'Tras la máscara',
    weights: 'Proporciones',
    mask: 'Máscara',
    on: 'activada: solo palabras anteriores',
    off: 'desactivada: todas las palabras',
    table: {
      title: 'La tabla de una frase',
      text:
        'La autoatención en el codificador del modelo cargado. Cada fila es una palabra, y sus proporciones van a ' +
        'las palabras de las columnas. Una máscara de anticipación pertenece al descodificador, y este codificador ' +
        'se entrenó sin ella: la máscara muestra lo que haría con estas puntuaciones. Una máscara de relleno ' +
        'oculta lo que completa las frases más cortas de un lote.',
      input: 'Frase',
      show: 'Mostrar',
      layer: 'Capa',
      head: 'Cabeza',
      mean: 'media de todas',
      aheadMask: 'Máscara de anticipación',
      padding: 'Relleno',
      paddingMask: 'Máscara de relleno',
      on: 'sí',
      off: 'no',
      plain: 'Cada palabra puede mirar a todas las demás.',
      ahead: 'Ninguna palabra mira a una posterior: por encima de la diagonal todo es 0.',
      hidden: 'El relleno no recibe nada; el resto es exactamente como sin relleno.',
      seen: 'El relleno quita proporciones a las palabras: la frase depende ahora de la longitud de sus vecinas.',
    },
  },

  'multi-head': {
    title: 'Varias cabezas',
    text: [
      'Una softmax da un solo juego de proporciones. Una palabra que busca a la vez su sujeto y su adjetivo necesita ' +
        'dos. Por eso los d_model números se reparten entre cabezas: cada una tiene sus propias consultas, claves, ' +
        'valores y proporciones.',
      'Otra matriz, W_O, mezcla sus salidas. Todas las cabezas juntas no cuestan más que una grande.',
    ],
    notice:
      'Ambas cabezas leen las mismas palabras, pero sus proporciones difieren, porque cada una usa otras columnas ' +
      'de las matrices.',
    words: ['el', 'gato', 'duerme', 'bien'],
    heads: 'Cabezas',
    x: 'x: modificable, d_model = 4',
    head: (/** @type {number} */ i, /** @type {number} */ from, /** @type {number} */ to) =>
      `Cabeza ${i}: columnas ${from}\u2060–\u2060${to} de W_Q, W_K y W_V`,
    output: 'Salida',
    see: 'Ver todas las cabezas de una frase propia',
    weights: 'Proporciones',
    headOutput: 'Proporciones × V',
    together: 'Juntas',
    concat: 'Todas las cabezas, una al lado de otra',
  },

  cross: {
    title: 'De un idioma al otro',
    text: [
      'El descodificador pregunta y el codificador responde: las consultas vienen de las palabras ya escritas; las ' +
        'claves y los valores, de la frase de origen. Es el único camino de un idioma al otro.',
      'Hay una fila por palabra de la traducción y una columna por palabra del original. No hay máscara: el original ' +
        'se puede leer entero en todo momento.',
    ],
    notice:
      'Las claves son del original: si se cambia una, cambia toda una columna de proporciones, para cada palabra de ' +
      'la traducción.',
    source: ['the', 'black', 'cat'],
    target: ['die', 'schwarze'],
    queries: 'Q: del descodificador',
    keys: 'K: del codificador',
    values: 'V: del codificador',
    weights: 'Proporciones',
    output: 'La fila nueva de cada palabra de la traducción',
    real: 'Su frase: atención cruzada de una cabeza',
    layer: 'Capa',
    head: 'Cabeza',
    openHint: 'Elija una celda para ver la suma que hay detrás.',
    rows: 'filas: la palabra que se predice; columnas: el original',
  },

  ffn: {
    title: 'El resto de una capa',
    text: [
      'Después de que la atención ha mezclado las palabras, una pequeña red de dos matrices procesa cada palabra por ' +
        'separado: ensancha la fila, aplica una curva (la activación) y la vuelve a estrechar.',
      'Tanto la atención como la red tienen una conexión residual: el resultado se suma a la entrada, así que una ' +
        'capa solo tiene que aprender un cambio. LayerNorm da a cada fila media 0 y varianza 1. El artículo la ' +
        'aplica después de la suma (post-norm); muchos modelos posteriores la aplican antes de la subcapa (pre-norm).',
    ],
    notice:
      'Si se multiplica por diez una fila de x, con post-norm el resultado sigue siendo pequeño; con pre-norm la ' +
      'fila grande pasa sin cambios.',
    words: ['gato', 'duerme'],
    x: 'x',
    inner: 'LayerNorm(x)',
    ffn: { post: 'FFN(x)', pre: 'FFN(LayerNorm(x))' },
    added: 'x + FFN',
    result: { post: 'LayerNorm(x + FFN(x))', pre: 'x + FFN(LayerNorm(x))' },
    order: 'Normalización',
    orders: { post: 'después (post-norm)', pre: 'antes (pre-norm)' },
    activation: 'Activación',
    curve: 'La curva: salida para cada entrada',
    input: 'entrada',
    outcome: 'salida',
    w1: 'W_1',
    w2: 'W_2',
    gain: 'Ganancia de la normalización',
    bias: 'Sesgo de la normalización',
    wide: 'por W_1, más b_1',
    hidden: 'Capa oculta: tras la activación',
    moments: 'Antes de la normalización',
    momentNames: ['media', 'varianza'],
  },

  model: {
    title: 'El modelo completo',
    text: [
      'El codificador, a la izquierda, lee el original. Tiene N capas de atención y una red feed-forward. El ' +
        'descodificador, a la derecha, tiene una parte más, que lee la salida del codificador. Termina en una ' +
        'probabilidad para cada token del vocabulario.',
      'Cada casilla muestra los números que el modelo cargado calcula ahí para su frase.',
    ],
    notice:
      'La entrada y la salida de cada capa tienen la forma [palabras, d_model]. Por eso se pueden apilar las capas.',
    norm: 'Normalizar',
    diagram: 'El Transformer: codificador a la izquierda, descodificador a la derecha. Cada casilla es un botón.',
    encoder: 'Codificador',
    decoder: 'Descodificador',
    layers: (/** @type {number} */ count) => `${count} ×`,
    boxes: {
      source: 'Tokens de origen',
      'encoder.embedding': 'Embedding',
      'encoder.positions': 'Posiciones',
      'encoder.self': 'Autoatención',
      'encoder.norm1': 'Sumar y normalizar',
      'encoder.ffn': 'Feed-forward',
      'encoder.norm2': 'Sumar y normalizar',
      'encoder.output': 'Salida del cod.',
      target: 'Destino hasta ahora',
      'decoder.embedding': 'Embedding',
      'decoder.positions': 'Posiciones',
      'decoder.self': 'Atención (máscara)',
      'decoder.ssru': 'Unidad recurrente',
      'decoder.norm1': 'Sumar y normalizar',
      'decoder.cross': 'Atención cruzada',
      'decoder.norm2': 'Sumar y normalizar',
      'decoder.ffn': 'Feed-forward',
      'decoder.norm3': 'Sumar y normalizar',
      'decoder.output': 'Salida del descod.',
      output: 'Siguiente token',
    },
    tensor: 'Tensor',
    layer: 'Capa',
    head: 'Cabeza',
    sentence: 'Frase',
    shape: (/** @type {readonly number[]} */ shape) => `[${shape.join(' × ')}]`,
    range: (/** @type {string} */ low, /** @type {string} */ mean, /** @type {string} */ high) =>
      `mínimo ${low}, media ${mean}, máximo ${high}`,
    tokens: 'Los tokens y sus números en el vocabulario',
    fedIn: 'Una fila lleva el nombre de su token de entrada; predice el siguiente.',
    top: 'Los cinco tokens más probables en cada posición',
    place: 'después de',
    empty: 'Elija una casilla.',
    map: (/** @type {string} */ name) => `Mapa de calor: ${name}`,
    sum: 'Elija una celda para ver la suma que hay detrás.',
    move: 'Arrastre o use las flechas del teclado para mover, + y − para ampliar y reducir.',
    column: (/** @type {number} */ i) => `${i}`,
  },

  objective: {
    title: 'Lo que el entrenamiento reduce',
    text: [
      'Un modelo en entrenamiento recibe las palabras correctas hasta el momento, incluso donde habría escrito ' +
        'otras: teacher forcing. Para cada lugar da a cada palabra una probabilidad. Su pérdida es −log p de la ' +
        'palabra correcta.',
      'Con suavizado de etiquetas (label smoothing) se pide algo menos de 1 para la palabra correcta y un poco para ' +
        'cada una de las demás. Así el modelo no necesita separar sus puntuaciones cada vez más. El gradiente es ' +
        'simplemente lo que dijo menos lo que se pedía.',
    ],
    notice:
      'Si se sube la puntuación de la palabra correcta, con suavizado la pérdida baja y luego vuelve a subir. ' +
      'Demasiada seguridad también es un error.',
    words: ['Katze', 'Hund', 'Maus', 'Haus'],
    logits: 'Puntuaciones de las palabras',
    right: 'La palabra correcta',
    smoothing: 'Suavizado de etiquetas',
    p: 'Lo que dice el modelo',
    wanted: 'Lo que se pide',
    gradient: 'Gradiente de cada puntuación: dicho − pedido',
    loss: (/** @type {string} */ loss, /** @type {string} */ p) =>
      `Pérdida ${loss}. La palabra correcta tiene p = ${p}.`,
    forced: 'Teacher forcing: el modelo cargado y su propia traducción',
    forcedText: 'Cada fila recibe todas las palabras hasta la suya y tiene que predecir la siguiente.',
    columns: ['última entrada', 'por predecir', 'p', '−log p'],
    mean: (/** @type {string} */ mean) => `Pérdida media ${mean} por token`,
    schedule: 'A qué velocidad aprende: la tasa de aprendizaje',
    warmup: 'Calentamiento, pasos',
    step: 'paso',
    rate: 'tasa de aprendizaje',
    peak: (/** @type {string} */ rate, /** @type {number} */ step) =>
      `Sube hasta ${rate} en el paso ${step} y luego baja`,
  },

  decoding: {
    title: 'La elección de las palabras',
    text: [
      'El modelo da probabilidades; una búsqueda forma con ellas una frase. La búsqueda voraz toma cada vez la mejor ' +
        'palabra siguiente. La búsqueda en haz sigue varios comienzos a la vez, de modo que la segunda mejor palabra ' +
        'inicial aún puede ganar.',
      'Las frases más largas multiplican más probabilidades, así que siempre son menos probables. Dividir la ' +
        'log-probabilidad por la longitud elevada a α lo compensa.',
    ],
    notice:
      'Con un haz, la búsqueda toma primero «Un». Con dos encuentra «El gato», que es más probable en conjunto.',
    startWord: '(inicio)',
    first: ['Un', 'El'],
    second: ['perro', 'gato'],
    end: '(fin)',
    after: (/** @type {string} */ word) => `Probabilidades después de ${word}`,
    afterThat: 'Probabilidades después de la primera palabra. Las filas se dividen por su suma',
    beams: 'Haces',
    penalty: 'Penalización por longitud',
    step: (/** @type {number} */ step) => `Paso ${step}: p de cada comienzo; ✓ continúa`,
    best: (/** @type {string} */ best, /** @type {string} */ p, /** @type {string} */ score) =>
      `Encontrado: «${best}», p = ${p}, puntuación ${score}.`,
    greedy: (/** @type {string} */ best) => `La búsqueda voraz encuentra «${best}».`,
    see: 'Ver los haces de una frase propia',
    tree: 'El árbol: p de cada comienzo. A trazos: descartado por la búsqueda. Grueso: encontrado',
  },

  train: {
    title: 'Entrenar uno usted mismo',
    text: [
      'Un Transformer de 2 + 2 capas y 64 números por palabra empieza con pesos al azar. Aprende una tarea solo ' +
        'con ejemplos y de cuánto se equivocó en cada uno.',
      'El entrenamiento continúa mientras visita otras secciones. Lo que ha aprendido se guarda en este ' +
        'navegador, aunque cierre la página.',
    ],
    notice:
      'Cuando baja la pérdida, la atención cruzada de una capa encuentra de dónde viene cada respuesta: una ' +
      'diagonal para las cifras y, para las frases, palabra por palabra, con un salto donde el alemán invierte el ' +
      'orden.',
    task: 'Tarea',
    tasks: {
      reverse: {
        name: 'Escribir cifras al revés',
        text: 'Para escribir la primera cifra tiene que mirar la última.',
        input: 'Cifras, de 3 a 10',
        bad: (/** @type {string} */ text) => `Se encontró «${text}»; se esperaban de 3 a 10 cifras del 0 al 9.`,
        rows: 'filas: la cifra que se escribe; columnas: las cifras leídas',
        see: '',
      },
      words: {
        name: 'Traducir frases pequeñas',
        text:
          'Del inglés al alemán, con 66 palabras. «The» tiene tres géneros y dos casos, los adjetivos concuerdan, ' +
          'y tras «today» el verbo va antes del sujeto. Se prueba con frases que nunca ha visto.',
        input: 'Una frase de palabras que conoce',
        bad: (/** @type {string} */ text) =>
          `Se encontró «${text}»; se esperaba una frase como «today the young man likes a flower». Artículos: the, ` +
          'a, an. Adjetivos: small, old, big, young, new. Nombres: dog, man, bird, cat, woman, flower, child, ' +
          'house, book. Verbos: sees, finds, looks for, needs, likes.',
        rows: 'filas: la palabra que se escribe; columnas: las palabras leídas',
        see: 'Traducir usa entonces su modelo, hasta que vuelva a elegir un par de idiomas.',
      },
    },
    start: 'Entrenar',
    stop: 'Parar',
    go: 'Continuar',
    again: 'Empezar de nuevo',
    loss: 'pérdida',
    steps: 'pasos',
    curve: 'Pérdida en cada paso',
    map: 'Atención cruzada, media de las cabezas',
    status: (
      /** @type {number} */ step,
      /** @type {number} */ of,
      /** @type {string} */ loss,
      /** @type {string} */ right,
    ) => `Paso ${step} de ${of}. Pérdida ${loss}. Sin errores: ${right}.`,
    background: (/** @type {number} */ step, /** @type {number} */ of) => `Entrenamiento: paso ${step} de ${of}`,
    idle: 'Sin empezar. Tarda de medio minuto a dos minutos; la página sigue siendo utilizable.',
    unkept: 'No se pudo guardar en este navegador, así que se perderá al cerrar la página.',
    finished: 'Terminado.',
    stopped: 'Parado.',
    failed: 'El entrenamiento ha fallado:',
    oneWeight: 'Un peso mientras aprende',
    watched:
      'El primer número de W_Q en la atención cruzada de la última capa. Cada paso lo mueve en contra ' +
      'de la media móvil de sus gradientes, dividida por la raíz de la media de sus cuadrados: eso es Adam.',
    watchedNow: (/** @type {string} */ weight, /** @type {string} */ gradient) =>
      `El peso era ${weight}, su gradiente ${gradient}.`,
    weight: 'peso',
    gradient: 'gradiente',
    use: 'Probarlo',
    answer: 'Su respuesta',
    right: 'Correcto.',
    wrong: (/** @type {string} */ expected) => `Incorrecto; debería ser ${expected}.`,
    layer: 'Capa',
    end: 'fin',
    random: (/** @type {number} */ choices, /** @type {string} */ loss) =>
      `Adivinar una de ${choices} tiene una pérdida de ln ${choices} = ${loss}.`,
    see: 'Abrirlo en Ver',
  },

  sum: {
    title: 'La suma detrás de una celda',
    close: 'Cerrar',
    loading: 'Calculando…',
    failed: 'No se pudo mostrar la suma:',
    place: (/** @type {string} */ stack, /** @type {number} */ layer, /** @type {number} */ head) =>
      `${stack}, capa ${layer}, cabeza ${head}`,
    stacks: {
      encoder: 'Autoatención del codificador', decoder: 'Autoatención del descodificador', cross: 'Atención cruzada',
    },
    asks: (/** @type {string} */ row, /** @type {string} */ col) => `Cuánto mira «${row}» a «${col}»`,
    predicts: (/** @type {string} */ piece) => `Esta fila predice «${piece}».`,
    products: 'Consulta por clave, número a número',
    query: 'q',
    key: 'k',
    product: 'q × k',
    total: 'Suma: q · k',
    scaled: 'Dividida por √d_k',
    unscaled: 'Este modelo no divide la suma por √d_k: sus pesos se entrenaron sin ello.',
    bias: (/** @type {number} */ distance) => `Sesgo de posición de esta cabeza a la distancia ${distance}`,
    biased: 'Puntuación: la suma de ambos',
    biasNote:
      'Este modelo no tiene vectores de posición. Cada cabeza suma a la puntuación un número propio, que solo depende ' +
      'de la distancia entre consulta y clave; todas las capas de este lado lo comparten.',
    masked: 'Esta clave viene después de la consulta: la máscara pone la puntuación a −∞ y la proporción a 0.',
    allowed: 'La máscara deja pasar esta clave.',
    softmax: 'Softmax de la fila',
    token: 'token',
    score: 'puntuación',
    power: 'e^(puntuación − máx)',
    share: 'proporción',
    scoreOf: (/** @type {string} */ token) => `puntuación de ${token}`,
    softmaxNote:
      'Elija un token para ver su propia suma. Escriba otra puntuación: las proporciones y la salida la siguen.',
    edited: (/** @type {string} */ map) => `Con la puntuación escrita. En el mapa del modelo: ${map}.`,
    again: 'Las puntuaciones del modelo',
    rowSum: 'Suma',
    values: 'Valores, ponderados y sumados',
    valuesNote:
      'De arriba abajo: el vector de valor de este token; el vector por su proporción; la suma sobre todos los ' +
      'tokens, que es la salida de esta cabeza.',
    thisValue: 'proporción × v',
    mixed: 'suma',
    number: 'número',
    check: (/** @type {string} */ here, /** @type {string} */ map) =>
      `Calculado paso a paso: ${here}. En el mapa del modelo: ${map}.`,
    differs: 'La última cifra difiere, porque esta suma usa números de 64 bits y el modelo, de 32 bits.',
    int8:
      'Este modelo calcula en int8: q, k y v proceden de productos de pesos de 8 bits con activaciones redondeadas a ' +
      '7 bits. Los números de arriba incluyen este redondeo. A partir de aquí (q · k, softmax y la suma ponderada) ' +
      'todo es coma flotante de 32 bits, así que los pasos coinciden.',
    f32: 'Este modelo calcula todo en coma flotante de 32 bits.',
    hidden: (/** @type {number} */ count) =>
      `y ${count} ${count === 1 ? 'token más' : 'tokens más'} con una proporción de`,
  },
};

export const about = {
  heading: 'Acerca de',
  lead: 'heed es un Transformer codificador-descodificador en WebAssembly. Traduce en la página y muestra todos los '
    + 'pesos de atención de la traducción.',
  privacy: {
    title: 'Privacidad',
    text: [
      'Nada de lo que se escribe sale de esta página. No hay detrás ningún servidor, ninguna cuenta, ninguna cookie '
      + 'ni ningún rastreo.',
      'Un enlace de la barra de direcciones contiene el texto después de #, que los navegadores no envían al servidor.',
      'La página descarga sus propios archivos y el modelo. El navegador guarda ambos, así que la página funciona '
      + 'también sin conexión.',
    ],
  },
  how: {
    title: 'Cómo funciona',
    text: [
      'El núcleo está escrito en C, compilado a WebAssembly con SIMD de 128 bits, y se ejecuta en un worker, para que '
      + 'la página siga respondiendo. Los pesos son enteros de 8 bits.',
      'La atención que muestra Ver no es una aproximación: la calculó el modelo, para cada capa y cada cabeza del '
      + 'codificador, del descodificador y de la atención entre ambos.',
    ],
  },
  models: {
    title: 'Modelos',
    loading: 'Leyendo la lista de modelos…',
    none: 'Esta página no tiene lista de modelos.',
    failed: 'No se pudo leer la descripción de este modelo:',
    pair: 'Idiomas',
    parameters: 'Parámetros',
    size: 'Descarga',
    license: 'Licencia',
    trained: 'Entrenado con',
    pairs: (/** @type {string} */ n) => `${n} pares de frases`,
    scores: 'Puntuaciones',
    state: 'Estado',
    provisional: 'Provisional: entrenado poco tiempo. Bueno con frases cotidianas, malo con palabras raras y frases '
      + 'largas.',
  },
  own: {
    title: 'En una página propia',
    text: 'Copie esta carpeta en cualquier servidor web o use la biblioteca:',
    code: "import { Translator } from 'heed';\n\nconst translator = await Translator.create({\n"
      + "  sourceLanguage: 'en', targetLanguage: 'de', models: 'models/index.json',\n});\n"
      + "await translator.translate('The house is small.');",
    codeLabel: 'Ejemplo',
    docs: 'Guías, referencia y ejemplos',
  },
};
