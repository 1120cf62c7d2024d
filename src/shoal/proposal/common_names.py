"""Common first names of several languages, in lower case and without accents, to recognize persons' names."""

from __future__ import annotations

_NAMES = """
aaron abdul abigail adam adele adrian agnes ahmed aisha alan albert alejandro alessandro alex alexander
alexandra alexis ali alice alicia alina amanda amelia amelie amina amir ana anastasia andre andrea andreas
andrei andrew angela anita anja ann anna anne annette anthony antoine anton antonia antonio anya arthur
astrid audrey axel barbara beatrice beatriz ben benjamin bernard bernd bianca birgit bjorn bob boris brandon
brenda brian brigitte bruno camille carl carla carlos carmen carol caroline catherine cecilia celine chantal
charles charlotte chen chiara chloe chris christian christina christine christoph christopher claire clara
claude claudia claudio clement colette cristian cristina dagmar damien dan daniel daniela daniele david
deborah denis dennis diana diego dieter dimitri dirk dmitri dominik dominique donald donna doris dorothea
dorothy eduardo edward eleanor elena elias elisa elisabeth elise elizabeth ella ellen emil emilia emily emma
emmanuel enrique eric erik erika ernst esther ethan etienne eva evelyn fabian fabio farid fatima federico
felipe felix ferdinand fernando florence florian frances francesca francesco francisco francois frank franz
fred frederic frederik friedrich gabriel gabriela gabriele gary georg george gerard gerhard giorgio giovanni
giulia giuseppe gloria grace greta guillaume gustav hamza hanna hannah hans harald harry hassan heather
heidi heike heinrich heinz helen helena helene helga helmut henri henrik henry herbert hermann hiroshi
holger horst hugo ian ibrahim ida ines inge ingrid irene irina isabel isabella isabelle ivan jack jacob
jacqueline jacques jakob jakub james jan jana jane janet janine jasmin jason javier jean jeanne jeffrey
jennifer jens jeremy jerome jessica joachim joan joanna joao joerg johan johann johanna johannes john jonas
jonathan jorge jose josef joseph josephine joshua joyce juan judith julia julian juliana julie julien
juliette jurgen justin kai karen karin karl karla katarina kate katharina katherine kathleen kathrin katja
kelly ken kenneth kerstin kevin kim klaus konrad kristina kurt lara larry lars laura laurence laurent lea
leah lena leo leon leonard leonie li liam liesel lily lina linda lisa lola lorenzo louis louise luca lucas
lucia lucie lucy luigi luis luisa luise lukas madeleine maksim manfred manuel manuela marc marcel marco
marcos marek margaret margarete margot maria mariam marie marina mario marion mark markus marta martha
martin martina mary massimo mateo mathias mathieu mathilde matteo matthew matthias maurice max maxime
maximilian megan mehmet melanie melissa mia michael michaela michel michele michelle miguel mike mikhail
mila mohamed mohammed monica monika monique moritz muhammad mustafa nadia nadine nancy natalia natalie
nathalie nathan nicholas nicola nicolas nicole niels nikolai nina noah noemi nora norbert olaf oleg olga
oliver olivia olivier omar oscar oskar otto pablo paola paolo pascal patricia patrick paul paula pauline
pavel pedro peter petra philip philipp philippe pia pierre pieter pilar priya quentin rachel rafael rainer
ralf ramon raphael raul raymond rebecca regina renate rene ricardo richard rita robert roberto roger roland
romain roman ronald rosa rose ruben rudolf ruth ryan sabine said sally salma salvatore samantha samir samuel
sandra sara sarah sascha scott sean sebastian serge sergei sergio sharon silke silvia simon simone sofia
sofie sonia sophia sophie stefan stefania stefano stephan stephane stephanie stephen steven susan susanne
svea sven sylvia sylvie takashi tamara tanja tatiana teresa theo theresa theresia thibault thierry thomas
tilda tim timo timothy tina tobias tom tomas tony torsten ulrich ulrike ursula ute valentin valentina
valerie vanessa vera veronica veronika victor victoria viktor vincent vincenzo viola virginia vladimir
walter wei werner wilhelm william wolfgang xavier yan yang yannick yasmin ying yolanda yuki yusuf yves
yvonne zoe
"""
COMMON_NAMES = frozenset(_NAMES.split())
